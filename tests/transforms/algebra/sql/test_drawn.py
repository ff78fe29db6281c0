"""What is certain in SQL is what is certain in columns, for drawn books and programs."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.said import said
from surgqa.transforms.algebra.worlds.force import rows_at
from tests.transforms.algebra import drawn
from tests.transforms.algebra.sql.alike import cases, of_columns, of_sql
from tests.transforms.algebra.sql.tables import connection, evaluated, put

SEEDS = range(200) if os.environ.get("SURGQA_LONG") else range(6)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs_give_the_same_in_both_forms(seed):
    rng = random.Random(seed)
    relation = drawn.relation(rng, 4)
    video = np.array([v for v in range(4) for _ in range(6)])
    now = np.array([rng.randint(0, relation.recordings[v].duration_us // 500_000) * 500_000
                    for v in video.tolist()])  # fmt: skip
    db = connection(relation)
    put(db, "cases", cases(relation, video, now))
    nodes = [drawn.program(rng) for _ in range(15)]
    rows = rows_at(relation, video, now)
    for node, found in zip(nodes, evaluated(db, nodes), strict=True):
        value = evaluate(node, rows)
        for i, v in enumerate(video.tolist()):
            wanted = of_columns(node, value, i, relation, v)
            assert of_sql(found[i]) == wanted, f"{said(node)} of video {v} at {now[i]}"

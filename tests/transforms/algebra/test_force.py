"""No certain answer is contradicted by a world that the labels allow."""

from __future__ import annotations

import os
import random

from surgqa.transforms.algebra.said import said
from surgqa.transforms.algebra.worlds.force import hold
from tests.each import cases
from tests.transforms.algebra import drawn

SEEDS = range(200) if os.environ.get("SURGQA_LONG") else range(3)


@cases("seed", SEEDS)
def test_random_programs_are_certain_only_where_all_worlds_agree(seed):
    rng = random.Random(seed)
    relation = drawn.relation(rng, 4)
    programs = [drawn.program(rng) for _ in range(40)]
    tally, bad = hold(rng, relation, programs, times=6, worlds=15)
    told = [f"{said(node)} of video {video} at {now}: {claim}, but {found}"
            for node, video, now, claim, found, _ in bad[:3]]  # fmt: skip
    assert not bad, "\n".join(told)
    assert sum(n for (_, what), n in tally.items() if what == "certain") > 100

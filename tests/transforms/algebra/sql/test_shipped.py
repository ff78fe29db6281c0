"""Every shipped template is one query, and what it asks is what its query gives."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import duckdb
import pytest

from surgqa.templates import __file__ as templates
from surgqa.transforms.algebra.sql import compiled
from surgqa.transforms.language.load import parse_folder
from surgqa.transforms.language.program import Program
from surgqa.transforms.places import place
from surgqa.transforms.questions.ask import Asker
from surgqa.transforms.questions.units import Units, clips
from surgqa.transforms.registry import datasets, load_reader, load_sample
from surgqa.transforms.timeline import build_timeline
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.gather import relation_of
from surgqa.transforms.windows.clips import cut_clips
from tests.each import cases
from tests.transforms.algebra import drawn
from tests.transforms.algebra.sql.asked import Held, cases_of, hold
from tests.transforms.algebra.sql.tables import connection, put
from tests.transforms.questions.shipped import cut

LONG = bool(os.environ.get("SURGQA_LONG"))
STEP = 1 if LONG else 6
"""Every so many queries are planned by the database; all are compiled."""

SAMPLES = tuple(datasets()) if LONG else ("cholect50",)

FOLDER = Path(templates).parent
BENCHMARKS = sorted({file.parent.name for file in FOLDER.glob("*/*.yaml")})


@cache
def programs() -> list[Program]:
    return parse_folder(FOLDER)[0]


@pytest.fixture(scope="module")
def empty() -> Iterator[duckdb.DuckDBPyConnection]:
    db = connection(drawn.relation(random.Random(0), 1))
    put(db, "cases", cases_of(programs()[0], "", []))
    yield db
    db.close()


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_stage_is_one_query(benchmark: str, empty: duckdb.DuckDBPyConnection):
    stages = [(one, stage) for one in programs() if one.benchmark == benchmark
              for stage in one.stages]  # fmt: skip
    for k, (program, stage) in enumerate(stages):
        query = compiled(program, stage)
        assert {f"answer.{name}" for name, _ in stage.answer} <= query.columns.keys()
        if k % STEP == 0:
            empty.execute(f"prepare one as {query.sql}")
            empty.execute("deallocate one")


def test_no_template_is_left_out():
    shipped = [one for one in programs() if one.benchmark != "examples"]
    assert len(shipped) >= 135
    assert {one.benchmark for one in programs()} == set(BENCHMARKS)


def held(relation: Relation, units: Units, every: int = 1, of: int = 0) -> Held:
    """Items of some templates about one recording, against their queries."""
    found, db = Held(), connection(relation)
    asker, video = Asker(relation, units, "seed"), relation.recordings[0].key
    for program in programs()[of::every]:
        hold(db, program, video, asker.ask(program).items, found)
    return found


@cases("seed", range(3))
def test_what_is_asked_of_drawn_evidence_is_proved(seed: int):
    relation = drawn.relation(random.Random(seed), 1)
    found = held(relation, cut(relation), every=3 if LONG else 9, of=seed)
    assert found.bad == []
    assert found.compared["answer"] > (3 if LONG else 0)


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_asked_of_samples_is_proved(name: str, tmp_path: Path):
    load_sample(name)(tmp_path)
    reader = load_reader(name)(place(tmp_path))
    for video in reader.videos() if LONG else reader.videos()[:1]:
        evidence = reader.read(video)
        timeline = build_timeline(evidence)
        relation = relation_of([(evidence, timeline)])
        windows = cut_clips(evidence.video, timeline.table.instants_us).windows if timeline else ()
        found = held(relation, clips([(0, window) for window in windows]), every=STEP)
        assert found.bad == []
        assert found.compared.total() > 3 or LONG

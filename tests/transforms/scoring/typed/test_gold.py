"""The right answer of every shipped program scores 1 on every measure, and nonsense 0."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgqa.transforms.scoring import score_dataset
from tests.each import each
from tests.transforms.scoring.grouped import first
from tests.transforms.scoring.oracle import oracle
from tests.transforms.scoring.single import score_row
from tests.transforms.scoring.test_parse import TEXTS
from tests.transforms.scoring.typed.drawn import programs, rows

EVERY = dict(rows())
ROWS = {name: row for name, row in EVERY.items() if not row["rounds"]}
UNSCORED = "continuation"


def test_the_right_answer_scores_one_and_nonsense_nothing():
    each(ROWS, _is_scored)


def _is_scored(name: str) -> None:
    row = ROWS[name]
    gold = score_row(row, row["answer"])
    if row["form"] == UNSCORED:
        assert gold is None
        return
    assert gold.status == "scored", row["answer"]
    assert {gold.score, gold.accuracy, gold.iou, gold.hit} <= {1.0, None}, (row, gold)
    nonsense, none = score_row(row, "qwertz"), score_row(row, None)
    assert (nonsense.score, nonsense.status) == (0.0, "unparsed")
    assert (none.score, none.status) == (0.0, "missing")
    for other in (nonsense, none):
        assert [(other.iou is None, other.accuracy is None)] == [
            (gold.iou is None, gold.accuracy is None)
        ]


def test_all_programs_are_there():
    assert len(programs()) >= 135


def gold(rows):
    """The right answer of every row, of streams that of every round."""
    return {key: text for row in rows for key, text in oracle(row).items()}


@pytest.mark.parametrize("benchmark", [None, "mine"], ids=["as shipped", "of a user"])
def test_a_whole_dataset_of_right_answers_scores_one_everywhere(benchmark):
    rows = [row | ({"benchmark": benchmark} if benchmark else {}) for row in EVERY.values()]
    report = score_dataset(rows, gold(rows), replicates=5)
    assert not report.unknown
    assert set(report.unscored) == report.by_people and len(report.unscored) == 1
    for group in report.groups:
        assert {group.score, group.iou, group.acc_iou50, group.accuracy} <= {1.0, None}, group
        assert group.unparsed == group.missing == 0
    assert set(report.own) == (
        {"mine, chains", "mine, outputs", "mine, rankings"} if benchmark
        else {"examples, outputs", "medstream", "sapbench", "surgcot"}
    )  # fmt: skip
    for name, own in report.own.items():
        counts = own.counts()
        assert counts["missing"] == counts["unparsed"] == 0, name
        assert own.titled(name)
    total = report.counts()["items"] + len(report.unscored)
    assert total + sum(own.counts()["items"] for own in report.own.values()) >= len(rows) - 6


@pytest.mark.parametrize("benchmark", ["medstream", "mine"])
def test_streams_and_open_answers_of_any_benchmark(benchmark):
    rows = [row | {"benchmark": benchmark} for row in EVERY.values()
            if row["rounds"] or row["rubric"]]  # fmt: skip
    report = score_dataset(rows, gold(rows), replicates=5)
    (own,) = report.own.values()
    for group in own.groups:
        measures = {group.content, group.responsiveness, group.stability, group.overall}
        assert measures <= {1.0, None}, group
    silent = dict.fromkeys(gold(rows), "no_alert")
    (quiet,) = score_dataset(rows, silent, replicates=5).own.values()
    assert first(quiet.groups, kind="overall", name="all items").overall < 0.5


def test_a_wrong_option_is_wrong():
    for name, row in ROWS.items():
        if row["options"]:
            assert [score_row(row, key).score for key in "AB"] == [0.0, 1.0], name


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(sorted(ROWS)), TEXTS)
def test_no_response_leaves_the_range_or_fails(name, response):
    item = score_row(ROWS[name], response)
    for value in (item.score, item.iou, item.hit, item.accuracy) if item else ():
        assert value is None or 0.0 <= value <= 1.0

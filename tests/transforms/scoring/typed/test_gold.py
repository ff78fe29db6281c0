"""The right answer of every shipped program scores 1 on every measure, and nonsense 0."""

from __future__ import annotations

import pytest

from tests.transforms.scoring.typed.drawn import programs, rows
from transforms.scoring.score import score_row

ROWS = dict(rows())
UNSCORED = "continuation"


@pytest.mark.parametrize("name", ROWS)
def test_the_right_answer_scores_one_and_nonsense_nothing(name):
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


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row["options"]])
def test_a_wrong_option_is_wrong(name):
    row = ROWS[name]
    assert score_row(row, "A").score == 0.0
    assert score_row(row, "B").score == 1.0

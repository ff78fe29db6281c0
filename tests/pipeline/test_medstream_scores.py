"""Scores of timed items that were really built: right and wrong options, and silence.

The gold answers score one: ``test_check_agrees.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from surgqa.transforms.scoring.outputs.items import item_of
from surgqa.transforms.scoring.outputs.scores import score_item
from surgqa.transforms.store import OutputFolder


@pytest.fixture(scope="module")
def rows(all_benchmarks: Path) -> list[dict[str, Any]]:
    """Items of made-up operations."""
    return [row for row in OutputFolder(all_benchmarks).rows() if row["benchmark"] == "medstream"]


def test_every_right_option_scores_one_and_every_wrong_one_zero(
    rows: list[dict[str, Any]],
) -> None:
    wrong = 0
    for row in rows:
        item = item_of(row)
        for key, text in item.options:
            for said in (key, text, f"{key}) {text}", f"({key.lower()})"):
                found = score_item(item, dict.fromkeys(item.keys, said))
                last = found.marks[-1][1]
                assert last.content == float(key == row["answer_key"]), (row["item_id"], said)
                assert last.status == "scored"
            wrong += key != row["answer_key"]
    assert wrong > 50


def test_silence_gets_the_share_of_early_rounds(rows: list[dict[str, Any]]) -> None:
    streams = [row for row in rows if row["rounds"]]
    for row in streams:
        early = [not one["answerable"] for one in row["rounds"]]
        word = "no_alert" if row["temporal_mode"] == "proactive" else "unanswerable"
        item = item_of(row)
        silent = score_item(item, dict.fromkeys(item.keys, word)).measures
        assert silent.content == pytest.approx(sum(early) / len(early))
        comes = not all(early)
        assert silent.responsiveness == float(not comes)
        assert silent.stability == (0.0 if comes else None)
    assert len(streams) > 5

"""Scores of timed items that were really built: gold, wrong options, and silence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from surgqa.transforms.scoring import score_dataset
from surgqa.transforms.scoring.outputs.items import item_of
from surgqa.transforms.scoring.outputs.scores import score_item
from surgqa.transforms.store import OutputFolder
from tests.pipeline.conftest import BuiltOnce
from tests.transforms.scoring.oracle import oracle


@pytest.fixture(scope="module")
def rows(sample: Callable[..., Path], built_once: BuiltOnce) -> list[dict[str, Any]]:
    """Items of two made-up operations with phases, steps and events."""
    dataset = {"name": "multibypass140", "root": sample("multibypass140")}
    settings = {"datasets": [dataset], "benchmarks": ["medstream"]}
    return list(OutputFolder(built_once("bypass", settings).out).rows())


def test_the_gold_answers_score_one(rows: list[dict[str, Any]]) -> None:
    gold = {key: text for row in rows for key, text in oracle(row).items()}
    report = score_dataset(rows, gold)
    assert "medstream" in report.own and not report.unknown and not report.unscored
    for group in report.own["medstream"].groups:
        assert group.content == group.overall == 1.0, (group.kind, group.name)
        assert {group.responsiveness, group.stability} <= {1.0, None}, (group.kind, group.name)
    modes = {group.name for group in report.own["medstream"].groups if group.kind == "mode"}
    assert modes == {"retrospective", "present", "future", "proactive"}
    assert {one.item.streaming for one in report.own["medstream"].items} == {True, False}
    assert {one.item.question_type for one in report.own["medstream"].items} == {"closed", "open"}
    assert {one.item.organ for one in report.own["medstream"].items} == {"stomach and small bowel"}


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

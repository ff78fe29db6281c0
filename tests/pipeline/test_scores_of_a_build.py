"""The scorer's self-test on a build: wrong options score zero, guessing lands near chance.

The gold answers score one: ``test_check_agrees.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from surgqa.ontology.keys import h64
from surgqa.transforms.scoring import score_dataset
from surgqa.transforms.store import OutputFolder


@pytest.fixture(scope="module")
def rows(built: Path) -> list[dict[str, Any]]:
    """All rows of the built sample."""
    return list(OutputFolder(built).rows())


def test_every_wrong_option_scores_zero(rows: list[dict[str, Any]]) -> None:
    closed = [row for row in rows if row["options"]]
    for position in range(4):
        wrong = {}
        for row in closed:
            others = [o for o in row["options"] if not o["is_answer"]]
            if position < len(others):
                option = others[position]
                wrong[(row["item_id"], None)] = f"{option['key']}) {option['text']}"
        answered = [row for row in closed if (row["item_id"], None) in wrong]
        report = score_dataset(answered, wrong)
        assert {item.score for item in report.items} <= {0.0}
    assert len(closed) > 50


def test_a_random_guesser_lands_near_the_printed_chance(rows: list[dict[str, Any]]) -> None:
    closed = [row for row in rows if row["options"]]
    totals: dict[str, list[float]] = {}
    chance: dict[str, float] = {}
    for draw in range(160):
        guesses = {
            (row["item_id"], None): row["options"][
                h64("guess", draw, row["item_id"]) % len(row["options"])
            ]["key"]
            for row in closed
        }
        report = score_dataset(closed, guesses, replicates=0)
        for group in report.groups:
            if group.kind == "core_task":
                totals.setdefault(group.name, []).append(group.score)
                chance[group.name] = group.chance
    assert set(totals) == {"counting", "existence", "classes"}
    for name, scores in totals.items():
        assert abs(sum(scores) / len(scores) - chance[name]) < 0.05, name

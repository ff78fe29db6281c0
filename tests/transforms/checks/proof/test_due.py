"""Rounds against the time at which the answer is there, at each border."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.checks.proof.rounds import due_problems
from tests.each import cases
from tests.transforms.checks.proof.made import STREAM, S, asked, stream_row

THERE = {"lo": 130 * S, "hi": 130 * S, "ok": True, "none": False}
SILENT = {**THERE, "none": True}


def found(due: dict[str, Any], until: int | None = None, last: int = 4, first: int = 0) -> int:
    """How much is wrong with rounds at 110, 120, 130 and 140 s, the last two with an answer."""
    data = stream_row()
    data["rounds"] = data["rounds"][first:last]
    problems = list(due_problems(asked(STREAM, data), due, until))
    assert {code for code, _ in problems} <= {"round_differs"}
    return len(problems)


@cases(
    ("due", "wrong"),
    [
        (THERE, 0),
        ({**THERE, "ok": False}, 1),
        ({**THERE, "hi": 130 * S + 1}, 1), ({**THERE, "hi": 130 * S - 1}, 0),
        ({**THERE, "hi": 129 * S + 1}, 0), ({**THERE, "hi": 129 * S}, 1),
        ({**THERE, "lo": 122 * S + 1}, 0), ({**THERE, "lo": 122 * S}, 1),
        (SILENT, 1),
    ],
)  # fmt: skip
def test_when_the_answer_is_due(due: dict[str, Any], wrong: int):
    assert found(due) == wrong


def test_rounds_without_an_answer():
    assert found(SILENT, last=2) == 0
    assert found(THERE, last=2) == 1
    assert found({**THERE, "lo": 0}, first=2) == 0


@cases(
    ("until", "last", "wrong"),
    [(None, 4, 0), (140 * S + 1, 4, 0), (140 * S, 4, 1), (130 * S, 3, 0), (500 * S, 4, 0)],
)
def test_until_when_it_stands(until: int | None, last: int, wrong: int):
    assert found(THERE, until, last) == wrong


def test_no_round_lies_beyond_the_window():
    data = stream_row()
    data["end_us"] = 140 * S
    assert len(list(due_problems(asked(STREAM, data), THERE, 500 * S))) == 1

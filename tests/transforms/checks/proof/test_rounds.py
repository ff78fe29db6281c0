"""Rounds that come again and again: at full periods from the start, each with its own answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from transforms.checks.proof.rounds import round_problems

S = 1_000_000
START = 7 * S


def one(index: int, at_s: int, said: str = "Two", **more: Any) -> dict[str, Any]:
    return {"round_index": index, "current_us": at_s * S, "start_us": START, "end_us": at_s * S,
            "expected_output": said, "accepted_outputs": [said], "answerable": True,
            **more}  # fmt: skip


def codes(*found: dict[str, Any], every_s: int | None = 5, end_s: int = 40) -> list[str]:
    rounds = None if every_s is None else SimpleNamespace(every=every_s * S, due=None)
    row = {"start_us": START, "end_us": end_s * S, "rounds": list(found)}
    asked: Any = SimpleNamespace(program=SimpleNamespace(rounds=rounds), row=row)
    return [detail for _, detail in round_problems(asked)]


def test_full_periods_from_the_start():
    assert codes(one(0, 12), one(1, 17), one(2, 32)) == []


@pytest.mark.parametrize(("found", "said"), [
    ([], "rounds at [], expected every 5000000"),
    ([one(0, 12), one(1, 18)], "expected every 5000000 from 7000000"),
    ([one(0, 10)], "expected every 5000000 from 7000000"),  # of the recording, not of the stretch
    ([one(0, 12), one(0, 17)], "round 1 has the index 0"),
    ([one(0, 12, start_us=0)], "round 0 shows [0, 12000000), expected [7000000, 12000000)"),
    ([one(0, 12, end_us=13 * S)], "round 0 shows [7000000, 13000000)"),
    ([one(0, 17), one(1, 12)], "round 1 at 12000000, after 17000000"),
    ([one(0, 12), one(1, 12)], "round 1 at 12000000, after 12000000"),
    ([one(0, 42)], "round 0 at 42000000, after 7000000, window to 40000000"),
    ([one(0, 12, "two")], ""),
    ([one(0, 12, accepted_outputs=["Three"])], ""),
    ([one(0, 12, answerable=False)], ""),
])  # fmt: skip
def test_others_are_told(found, said):
    told = codes(*found)
    assert told and any(said in detail for detail in told)


def test_where_the_template_has_none():
    assert codes(every_s=None) == []
    assert codes(one(0, 12), every_s=None) == ["1 rounds, the template has none"]

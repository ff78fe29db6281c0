"""What a ranking may put first as well is told where it is certain, and only there."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from surgqa.transforms.scoring.sapbench.items import item_of
from tests.transforms.checks.proof.opened import Output

ASKED = ("sapbench/next_action",)


def wrong(output: Output, change) -> list[set[str]]:
    """Codes of what is wrong with each row after a change of its slot."""
    rows = []
    for row in output.rows:
        slots = orjson.loads(row["slots"])
        told = {**slots, "also": change(slots["also"])}
        rows.append({**row, "slots": orjson.dumps(told).decode()})
    codes: dict[str, set[str]] = {row["item_id"]: set() for row in rows}
    for item, code, _ in output.problems(rows):
        codes[item].add(code)
    return list(codes.values())


def test_some_are_told_and_some_are_open(output: Output):
    told = [orjson.loads(row["slots"])["also"] for row in output.rows]
    assert any(told) and not all(told)
    assert [item_of(row).following for row in output.rows] == [
        one["label"] if one else None for one in told
    ]
    assert not any(wrong(output, lambda also: also))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda also: None if also else {"label": "cut_or_divide"}, id="swapped"),
        pytest.param(lambda also: {**(also or {}), "label": "unknown_action"}, id="another"),
    ],
)
def test_what_is_told_otherwise_is_found(output: Output, change: Any):
    assert all("slot_differs" in one for one in wrong(output, change))

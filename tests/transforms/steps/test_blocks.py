"""Blocks go as a whole, chains of them with all their questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from surgqa.transforms.steps.partners import BLOCK, broken_blocks
from surgqa.transforms.steps.write import Parts
from tests.transforms.steps.laid_out import laid_out

ROWS = [
    ("a", "x", None), ("b", "x", None), ("c", None, None), ("d", "y", None), ("e", "y", None),
    ("q1", "z", "first"), ("q2", None, "first"), ("r1", "z", "second"), ("r2", None, "second"),
]  # fmt: skip


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    return laid_out(tmp_path, {"p": [dict(zip(BLOCK, (*row, "made", "set", "made"), strict=True))
                              for row in ROWS]})  # fmt: skip


@pytest.mark.parametrize(
    ("dropped", "more"),
    [("", []), ("a", ["b"]), ("ab", []), ("c", []), ("bd", ["a", "e"]),
     (["q1", "q2"], ["r1", "r2"]), (["c", "r1", "r2"], ["q1", "q2"])],
)  # fmt: skip
def test_what_hangs_on_what_is_left_out_goes_with_it(parts: Parts, dropped, more: list[str]):
    found = broken_blocks(parts, dropped)
    assert [one["key"] for one in found] == more
    assert all((one["stage"], one["code"], one["dataset"], one["where"])
               == ("choose", "unpaired", "set", "made") for one in found)  # fmt: skip

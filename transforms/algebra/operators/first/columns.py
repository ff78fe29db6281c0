"""The matching fact that starts first."""

from __future__ import annotations

from surgqa.transforms.algebra.columns.arguments import earliest
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import One
from surgqa.transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> One:
    """The fact that certainly matches and certainly starts before every other possible match."""
    return earliest(call, rows, call.get("by", "start"), 1)

"""The fact that ends last."""

from __future__ import annotations

from transforms.algebra.columns.arguments import earliest
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import One
from transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> One:
    """The fact that certainly fits and ends after any other could."""
    if call.get("by") == "start":
        return earliest(call, rows, "s1", "s0", "u1", -1)
    return earliest(call, rows, "e1", "e0", "u1", -1)

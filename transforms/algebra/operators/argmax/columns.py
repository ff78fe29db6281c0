"""The element with the greatest value."""

from __future__ import annotations

from transforms.algebra.columns.best import best
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import Value
from transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Value:
    """The element whose value is certainly greater than the values of all other elements."""
    return best(call, rows, 1)

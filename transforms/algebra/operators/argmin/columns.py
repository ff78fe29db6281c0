"""The element with the least value."""

from __future__ import annotations

from surgqa.transforms.algebra.columns.best import best
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Value
from surgqa.transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Value:
    """The element whose value is certainly less than the values of all other elements."""
    return best(call, rows, -1)

"""The negation of a condition."""

from __future__ import annotations

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Truth
from surgqa.transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Truth:
    """True if the condition is certainly false; false if it is certainly true; else unknown."""
    value = evaluate(call.get("of"), rows)
    assert isinstance(value, Truth)
    return ~value

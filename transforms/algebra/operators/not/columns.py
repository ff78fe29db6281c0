"""The negation of a condition."""

from __future__ import annotations

from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import Truth
from transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Truth:
    """True if the condition is certainly false; false if it is certainly true; else unknown."""
    value = evaluate(call.get("of"), rows)
    assert isinstance(value, Truth)
    return ~value

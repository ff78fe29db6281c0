"""The distance between two things in the frame."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.boxes import thing_at
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Range
from surgqa.transforms.algebra.tree import Call, Node


def columns(call: Call, rows: Rows) -> Range:
    """Distance of the box centres; x and y are fractions of the frame's width and height."""
    at = call.get("at")
    when = evaluate(at, rows) if isinstance(at, Node) else None
    a, b = (thing_at(evaluate(node, rows), when, rows) for node in call.get("of"))
    d = np.sqrt(((a.centre - b.centre) ** 2).sum(axis=1))
    return Range.of(d, d, d, a.ok & b.ok, a.none | b.none)

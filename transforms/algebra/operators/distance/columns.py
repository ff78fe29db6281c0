"""The distance between two things in the frame."""

from __future__ import annotations

import numpy as np

from transforms.algebra.columns.boxes import thing_at
from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import Range
from transforms.algebra.tree import Call, Node


def columns(call: Call, rows: Rows) -> Range:
    """Distance of the box centres; x and y are fractions of the frame's width and height."""
    at = call.get("at")
    when = evaluate(at, rows) if isinstance(at, Node) else None
    a, b = (thing_at(evaluate(node, rows), when, rows) for node in call.get("of"))
    d = np.sqrt(((a.centre - b.centre) ** 2).sum(axis=1))
    return Range.of(d, d, d, a.ok & b.ok, a.none | b.none)

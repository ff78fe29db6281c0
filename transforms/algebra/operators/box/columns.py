"""The box of a fact or a track at one time."""

from __future__ import annotations

from surgqa.transforms.algebra.columns.boxes import box_at, start_of
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Box, One, Range
from surgqa.transforms.algebra.tree import Call, Node


def columns(call: Call, rows: Rows) -> Box:
    """The annotated box at exactly that instant; unknown between annotated instants."""
    fact = evaluate(call.get("of"), rows)
    assert isinstance(fact, One)
    at = call.get("at")
    when = evaluate(at, rows) if isinstance(at, Node) else start_of(fact)
    assert isinstance(when, Range)
    return box_at(fact, when, rows)

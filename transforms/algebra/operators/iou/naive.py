"""Intersection over union; with ``least``, whether it is at least that."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, Interval, box_at, operands, span_of
from surgqa.transforms.algebra.worlds.world import Rect


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    values = operands(call.get("of"), env)
    if all(isinstance(value, Interval) for value in values):
        found: float | None = _of_spans(*map(span_of, values))
    else:
        at = call.get("at")
        when = None if at is None else env.ev(at)
        a, b = (box_at(value, when, env) for value in values)
        found = None if a is None or b is None else _of_boxes(a, b)
    least = call.get("least")
    if least is None or found is None:
        return found if least is None else False
    return found >= least.low


def _of_spans(a: Interval, b: Interval) -> float:
    both = max(min(a.b, b.b) - max(a.a, b.a), 0)
    return both / (a.b - a.a + b.b - b.a - both)


def _of_boxes(a: Rect, b: Rect) -> float:
    both = max(min(a.x2, b.x2) - max(a.x1, b.x1), 0) * max(min(a.y2, b.y2) - max(a.y1, b.y1), 0)
    areas = sum((r.x2 - r.x1) * (r.y2 - r.y1) for r in (a, b))
    return both / (areas - both) if areas > both else 0

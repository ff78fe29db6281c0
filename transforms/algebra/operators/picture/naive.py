"""``box``, ``distance``, ``iou`` and ``motion`` on one exact timeline: their definitions."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import (
    Env,
    Interval,
    Undefined,
    box_at,
    box_of,
    operands,
    span_of,
)
from surgqa.transforms.algebra.worlds.world import Rect, TrueFact


def box(call: Call, env: Env) -> Any:
    """The box of a fact or a track at one time."""
    at = call.get("at")
    return box_at(env.ev(call.get("of")), None if at is None else env.ev(at), env)


def distance(call: Call, env: Env) -> Any:
    """The distance between two box centres, in fractions of the frame."""
    at = call.get("at")
    when = None if at is None else env.ev(at)
    a, b = (box_at(value, when, env) for value in operands(call.get("of"), env))
    if a is None or b is None:
        return None
    (ax, ay), (bx, by) = a.centre, b.centre
    return math.sqrt((ax - bx) ** 2 + (ay - by) ** 2)


def iou(call: Call, env: Env) -> Any:
    """Intersection over union; with ``least``, whether it is at least that value."""
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


SECOND_US = 1_000_000


def motion(call: Call, env: Env) -> Any:
    """Path length and speeds of an instance, from its box centres at annotated instants."""
    fact, over = env.ev(call.get("of")), env.ev(call.get("over"))
    if fact is None or over is None:
        return None
    runs = [_times(one, env) for one in (over if isinstance(over, list | tuple) else [over])]
    pairs = [pair for run in runs for pair in pairwise(run)]
    if not pairs:
        raise Undefined
    centre = {t: box_of(fact, t, env).centre for run in runs for t in run}
    steps = [math.dist(centre[a], centre[b]) for a, b in pairs]
    seconds = [(b - a) / SECOND_US for a, b in pairs]
    speeds = [step / second for step, second in zip(steps, seconds, strict=True)]
    return {
        "path": sum(steps), "mean_speed": sum(steps) / sum(seconds), "min_speed": min(speeds),
        "max_speed": max(speeds), "samples": float(sum(map(len, runs))),
    }  # fmt: skip


def _times(over: Any, env: Env) -> list[int]:
    """Return the annotated instants of one stretch."""
    span = span_of(over)
    last = span.b - 1 if isinstance(over, TrueFact) else span.b
    return [t for t in env.world.instants if span.a <= t <= last]

"""The stretch that a segment must contain: the given stretch, or the first part of a long one.

The segment is chosen from the printed stretch. The segment is correct if it contains this value in
every world.
"""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, Interval, Undefined, span_of


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    value = env.ev(call.get("of"))
    if value is None:
        raise Undefined
    span, most = span_of(value), call.get("most")
    if most is not None and span.b - span.a > most.low:
        return Interval(span.a, span.a + int(call.get("opening").low))
    return span

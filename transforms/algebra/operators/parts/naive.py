"""A stretch cut into equal parts."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, Interval, span_of


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    whole, n = span_of(env.ev(call.get("of"))), call.get("n")
    borders = [whole.a + (whole.b - whole.a) * k // n for k in range(n + 1)]
    return tuple(Interval(a, b) for a, b in zip(borders, borders[1:], strict=False))

"""The distance between two box centres, in fractions of the frame."""

from __future__ import annotations

import math
from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, box_at, operands


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    at = call.get("at")
    when = None if at is None else env.ev(at)
    a, b = (box_at(value, when, env) for value in operands(call.get("of"), env))
    if a is None or b is None:
        return None
    (ax, ay), (bx, by) = a.centre, b.centre
    return math.sqrt((ax - bx) ** 2 + (ay - by) ** 2)

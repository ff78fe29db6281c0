"""The comparison of two values."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    left, right, sign = env.ev(call.get("left")), env.ev(call.get("right")), call.get("sign")
    if sign in ("=", "!="):
        return (left == right) == (sign == "=")
    if left is None or right is None:
        return False
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[sign]

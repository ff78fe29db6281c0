"""The sum, difference or quotient of two values."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, Undefined, operands


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    left, right = operands((call.get("left"), call.get("right")), env)
    if left is None or right is None:
        return None
    if call.get("sign") == "/":
        if right == 0:
            raise Undefined
        return left / right
    return left + right if call.get("sign") == "+" else left - right

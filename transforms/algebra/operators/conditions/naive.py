"""``all``, ``any``, ``cases``, ``compare`` and ``not`` on one exact timeline: definitions."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, Undefined


def all_(call: Call, env: Env) -> Any:
    """Conditions joined by AND; each must have a value."""
    values = [env.ev(node) for node in call.get("of")]  # not lazy: an undefined value must raise
    return all(values)


def any_(call: Call, env: Env) -> Any:
    """Conditions joined by OR; each must have a value."""
    values = [env.ev(node) for node in call.get("of")]  # not lazy: an undefined value must raise
    return any(values)


def cases(call: Call, env: Env) -> Any:
    """The index of the statement whose condition is true."""
    truths = [env.ev(condition) for _, condition in call.get("of")]
    if truths.count(True) != 1:
        raise Undefined
    return truths.index(True)


def compare(call: Call, env: Env) -> Any:
    """The comparison of two values."""
    left, right, sign = env.ev(call.get("left")), env.ev(call.get("right")), call.get("sign")
    if sign in ("=", "!="):
        return (left == right) == (sign == "=")
    if left is None or right is None:
        return False
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[sign]


def not_(call: Call, env: Env) -> Any:
    """The negation of a condition."""
    return not env.ev(call.get("of"))

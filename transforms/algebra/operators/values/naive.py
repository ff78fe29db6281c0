"""``arithmetic``, ``coalesce``, ``parts``, ``segment``, ``word`` on one timeline: definitions."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.columns.scales import ACROSS, DOWN, rating_steps, steps_of
from surgqa.transforms.algebra.tree import Call, Node
from surgqa.transforms.algebra.worlds.naive import Env, Interval, Undefined, operands, span_of
from surgqa.transforms.algebra.worlds.world import Rect


def arithmetic(call: Call, env: Env) -> Any:
    """The sum, difference or quotient of two values."""
    left, right = operands((call.get("left"), call.get("right")), env)
    if left is None or right is None:
        return None
    if call.get("sign") == "/":
        if right == 0:
            raise Undefined
        return left / right
    return left + right if call.get("sign") == "+" else left - right


def coalesce(call: Call, env: Env) -> Any:
    """The first of several values that is not none."""
    values = (env.ev(node) for node in call.get("of"))  # lazy: later values may be undefined
    return next((value for value in values if value is not None), None)


def parts(call: Call, env: Env) -> Any:
    """A stretch cut into equal parts."""
    whole, n = span_of(env.ev(call.get("of"))), call.get("n")
    borders = [whole.a + (whole.b - whole.a) * k // n for k in range(n + 1)]
    return tuple(Interval(a, b) for a, b in zip(borders, borders[1:], strict=False))


def segment(call: Call, env: Env) -> Any:
    """The stretch that a segment must contain: the given stretch, or the first part of a long one.

    ``columns.py`` chooses the segment from the printed stretch. The segment is correct if it
    contains the stretch returned here on every timeline that the labels allow.
    """
    value = env.ev(call.get("of"))
    if value is None:
        raise Undefined
    span, most = span_of(value), call.get("most")
    if most is not None and span.b - span.a > most.low:
        return Interval(span.a, span.a + int(call.get("opening").low))
    return span


def word(call: Call, env: Env) -> Any:
    """The word of a scale for a value."""
    value, scale = env.ev(call.get("of")), call.get("scale")
    if value is None:
        return None
    if isinstance(value, Rect):
        x, y = value.centre
        return env.relation.codes.code(f"{DOWN[_third(y)]} {ACROSS[_third(x)]}")
    if isinstance(scale, Node):
        label = env.ev(scale)
        if label is None:
            return None
        steps = rating_steps(env.relation.codes.name(label))
    else:
        steps = steps_of(scale)
    if not steps:
        raise Undefined
    reached = [word for word, low in steps if value >= low] or [steps[0][0]]
    return env.relation.codes.code(reached[-1])


def _third(share: float) -> int:
    return min(int(share * 3), 2)

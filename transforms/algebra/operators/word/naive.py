"""The word of a scale for a value."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.columns.scales import ACROSS, DOWN, rating_steps, steps_of
from surgqa.transforms.algebra.tree import Call, Node
from surgqa.transforms.algebra.worlds.naive import Env, Undefined
from surgqa.transforms.algebra.worlds.world import Rect


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
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

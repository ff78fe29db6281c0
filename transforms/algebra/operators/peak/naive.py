"""The largest number of facts that hold at one instant of the reference."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, span_of


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    pattern = call.get("of")
    ref = span_of(env.names["window"] if pattern.reference is None else env.ev(pattern.reference))
    found = env.ev(pattern)
    moments = [ref.a, *(one.s for one in found if ref.a < one.s < ref.b)]
    return max(sum(one.s <= t < one.e for one in found) for t in moments)

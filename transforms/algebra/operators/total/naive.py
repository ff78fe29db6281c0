"""The total time in the reference during which any matching fact holds."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, span_of


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    pattern = call.get("of")
    ref = span_of(env.names["window"] if pattern.reference is None else env.ev(pattern.reference))
    total, at = 0, ref.a
    for one in env.ev(pattern):
        begin, end = max(one.s, at), min(one.e, ref.b)
        if end > begin:
            total, at = total + end - begin, end
    return total

"""The matching fact that ends after all others."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, Undefined


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    found = env.ev(call.get("of"))
    if not found:
        if call.get("of").or_none:
            return None
        raise Undefined
    border = "s" if call.get("by") == "start" else "e"
    latest = max(getattr(one, border) for one in found)
    best = [one for one in found if getattr(one, border) == latest]
    if len(best) != 1:
        raise Undefined
    return best[0]

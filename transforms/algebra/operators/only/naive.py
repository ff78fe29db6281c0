"""The only matching fact."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, Undefined


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    found = env.ev(call.get("of"))
    if not found and call.get("of").or_none:
        return None
    if len(found) != 1:
        raise Undefined
    return found[0]

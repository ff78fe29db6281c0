"""The fact that fits, if it is one."""

from __future__ import annotations

from typing import Any

from transforms.algebra.tree import Call
from transforms.algebra.worlds.naive import Env, Undefined


def naive(call: Call, env: Env) -> Any:
    """Return the value in one world; raise Undefined where there is none."""
    found = env.ev(call.get("of"))
    if not found and call.get("of").or_none:
        return None
    if len(found) != 1:
        raise Undefined
    return found[0]

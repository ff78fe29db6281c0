"""The different values, sorted; of several fields the facts themselves."""

from __future__ import annotations

from typing import Any

from transforms.algebra.tree import Call
from transforms.algebra.worlds.naive import Env, members


def naive(call: Call, env: Env) -> Any:
    """Return the value in one world; raise Undefined where there is none."""
    if call.get("fields"):
        return env.ev(call.get("of"))
    return members(env.ev(call.get("of")), call.get("of").field or "label", env)

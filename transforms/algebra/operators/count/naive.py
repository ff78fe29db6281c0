"""How many facts fit, or how many different values."""

from __future__ import annotations

from typing import Any

from transforms.algebra.tree import Call
from transforms.algebra.worlds.naive import Env, members


def naive(call: Call, env: Env) -> Any:
    """Return the value in one world; raise Undefined where there is none."""
    found = env.ev(call.get("of"))
    field = call.get("of").field
    return len(members(found, field, env)) if field else len(found)

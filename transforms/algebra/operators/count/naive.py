"""The number of matching facts, or of different values of a field."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, members


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    found = env.ev(call.get("of"))
    field = call.get("of").field
    return len(members(found, field, env)) if field else len(found)

"""The different values, sorted."""

from __future__ import annotations

from typing import Any

from transforms.algebra.tree import Call
from transforms.algebra.worlds.naive import Env, members


def naive(call: Call, env: Env) -> Any:
    """Return the value in one world; raise Undefined where there is none."""
    main, found = call.get("of"), env.ev(call.get("of"))
    if isinstance(found, tuple) or call.get("fields"):
        return found
    return members(found, getattr(main, "field", "") or "label", env)

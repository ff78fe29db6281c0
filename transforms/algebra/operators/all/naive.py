"""All of the conditions; each must be defined."""

from __future__ import annotations

from typing import Any

from transforms.algebra.tree import Call
from transforms.algebra.worlds.naive import Env


def naive(call: Call, env: Env) -> Any:
    """Return the value in one world; raise Undefined where there is none."""
    values = [env.ev(node) for node in call.get("of")]  # every one, so that none is undefined
    return all(values)

"""The first value that there is."""

from __future__ import annotations

from typing import Any

from transforms.algebra.tree import Call
from transforms.algebra.worlds.naive import Env


def naive(call: Call, env: Env) -> Any:
    """Return the value in one world; raise Undefined where there is none."""
    values = (env.ev(node) for node in call.get("of"))  # what comes later need not be defined
    return next((value for value in values if value is not None), None)

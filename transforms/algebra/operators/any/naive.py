"""Conditions joined by OR; each must be defined."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    values = [env.ev(node) for node in call.get("of")]  # all, so that an undefined one raises
    return any(values)

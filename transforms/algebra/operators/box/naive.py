"""The box of a fact or a track at one time."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, box_at


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    at = call.get("at")
    return box_at(env.ev(call.get("of")), None if at is None else env.ev(at), env)

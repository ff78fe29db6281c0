"""The facts that fit."""

from __future__ import annotations

from typing import Any

from transforms.algebra.tree import Call
from transforms.algebra.worlds.naive import Env


def naive(call: Call, env: Env) -> Any:
    return env.ev(call.get("of"))

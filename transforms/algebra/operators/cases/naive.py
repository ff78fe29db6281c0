"""The index of the statement whose condition is true."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, Undefined


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    truths = [env.ev(condition) for _, condition in call.get("of")]
    if truths.count(True) != 1:
        raise Undefined
    return truths.index(True)

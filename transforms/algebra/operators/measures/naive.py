"""``count``, ``exists``, ``peak`` and ``total`` on one exact timeline: their definitions."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, members


def count(call: Call, env: Env) -> Any:
    """The number of matching facts, or of different values of a field."""
    found = env.ev(call.get("of"))
    field = call.get("of").field
    return len(members(found, field, env)) if field else len(found)


def exists(call: Call, env: Env) -> Any:
    """Whether any fact matches."""
    return bool(env.ev(call.get("of")))


def peak(call: Call, env: Env) -> Any:
    """The largest number of facts that hold at one instant (by default, of the clip)."""
    pattern = call.get("of")
    ref = env.reference(pattern)
    found = env.ev(pattern)
    moments = [ref.a, *(one.s for one in found if ref.a < one.s < ref.b)]
    return max(sum(one.s <= t < one.e for one in found) for t in moments)


def total(call: Call, env: Env) -> Any:
    """The total time in the reference during which any matching fact holds."""
    pattern = call.get("of")
    ref = env.reference(pattern)
    total, at = 0, ref.a
    for one in env.ev(pattern):
        begin, end = max(one.s, at), min(one.e, ref.b)
        if end > begin:
            total, at = total + end - begin, end
    return total

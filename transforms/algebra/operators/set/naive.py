"""The different values of a field, sorted by id."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call, Pattern
from surgqa.transforms.algebra.worlds.naive import Env, elements, members
from surgqa.transforms.algebra.worlds.world import TrueFact


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    main = call.get("of")
    if call.get("fields"):
        return elements(main, env)
    if isinstance(main, Pattern):
        return members(env.ev(main), main.field or "label", env)
    found = elements(main, env)
    if found and isinstance(found[0], TrueFact):
        return members(found, "label", env)
    return tuple(sorted(set(found), key=env.relation.codes.name))

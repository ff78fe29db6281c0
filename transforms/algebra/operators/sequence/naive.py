"""Elements in their order; two at one time have none."""

from __future__ import annotations

from typing import Any

from transforms.algebra.tree import Call
from transforms.algebra.worlds.naive import Env, Undefined, read


def naive(call: Call, env: Env) -> Any:
    """Return the value in one world; raise Undefined where there is none."""
    by, main = call.get("by"), call.get("of")
    found = [env.ev(node) for node in main] if isinstance(main, tuple) else env.ev(main)
    timed = [
        (one.s if by is None else env.inside(it=one).ev(by), place, one)
        for place, one in enumerate(found)
    ]
    times = [time for time, _, _ in timed]
    if None in times or len(set(times)) < len(times):
        raise Undefined
    found = [one for _, _, one in sorted(timed, key=lambda t: t[:2])]
    take = call.get("take")
    if isinstance(take, int):
        found = found[:take] if take > 0 else found[take:]
    fields = tuple(call.get("fields") or ("label",))
    if len(fields) > 1 or fields[0] in ("start", "end", "track"):
        return found
    codes = [read(one, fields[0], env) for one in found]
    return tuple(-1 if code is None else code for code in codes)

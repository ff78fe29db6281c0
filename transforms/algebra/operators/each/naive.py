"""``each`` on one exact timeline: its definition."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.tree import Call, Pattern
from surgqa.transforms.algebra.worlds.naive import Env, members, span_of
from surgqa.transforms.algebra.worlds.world import Rect


def each(call: Call, env: Env) -> Any:
    """The elements on one timeline; only elements that exist on every timeline are asked about."""
    main = call.get("of")
    if main == "instant":
        return _instants(env)
    if main == "stretch":
        return _stretches(call, env)
    if main == "point":
        size = call.get("grid") or 5
        at = [(k + 0.5) / size for k in range(size)]
        return [Rect(x, y, x, y) for y in at for x in at]
    if isinstance(main, tuple):
        return [env.ev(node) for node in main]
    found = env.ev(main)
    field = main.field if isinstance(main, Pattern) else ""
    return list(members(found, field, env)) if field and field != "track" else list(found)


def _instants(env: Env) -> list[int]:
    window = span_of(env.names["window"])
    return [t for t in env.world.instants if window.a <= t < window.b]


def _stretches(call: Call, env: Env) -> list[tuple[int, int]]:
    """Return the stretches between annotated instants in which the facts in ``seen`` hold."""
    seen = call.get("seen") or ()
    nodes = seen if isinstance(seen, tuple) else (seen,)
    there = [span_of(env.ev(node)) for node in nodes]
    at = [t for t in _instants(env) if all(one.a <= t < one.b for one in there)]
    least = call.get("at_least") or 1
    return [(a, b) for a in at for b in at if b - a >= least]

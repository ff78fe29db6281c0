"""``argmax``, ``argmin``, ``facts``, ``first``, ``last``, ``only`` on one timeline: definitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, Undefined, ahead


def argmax(call: Call, env: Env) -> Any:
    """The element with the greatest value."""
    return ahead(call, env, 1)


def argmin(call: Call, env: Env) -> Any:
    """The element with the least value."""
    return ahead(call, env, -1)


def facts(call: Call, env: Env) -> Any:
    """The matching facts."""
    return env.ev(call.get("of"))


def first(call: Call, env: Env) -> Any:
    """The matching fact that starts before all others."""
    return _extreme(call, env, call.get("by", "start"), min)


def last(call: Call, env: Env) -> Any:
    """The matching fact that ends after all others."""
    return _extreme(call, env, call.get("by", "end"), max)


def only(call: Call, env: Env) -> Any:
    """The only matching fact."""
    return _single(env.ev(call.get("of")), call)


def _extreme(call: Call, env: Env, border: str, choose: Callable[[list[int]], int]) -> Any:
    """Return the fact whose start or end is the one that ``choose`` (min or max) returns."""
    facts = env.ev(call.get("of"))
    times = [one.s if border == "start" else one.e for one in facts]
    return _single([one for one, time in zip(facts, times, strict=True)
                    if time == choose(times)], call)  # fmt: skip


def _single(facts: list[Any], call: Call) -> Any:
    if not facts and call.get("of").or_none:
        return None
    if len(facts) != 1:
        raise Undefined
    return facts[0]

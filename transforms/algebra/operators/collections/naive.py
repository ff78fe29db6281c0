"""``labels``, ``sequence`` and ``set`` on one exact timeline: their definitions."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.columns.domains import labels_of
from surgqa.transforms.algebra.columns.scales import rating_steps
from surgqa.transforms.algebra.tree import Call, Const, Pattern
from surgqa.transforms.algebra.types import element
from surgqa.transforms.algebra.worlds.naive import Env, Interval, Undefined, elements, members, read
from surgqa.transforms.algebra.worlds.world import TrueFact


def labels(call: Call, env: Env) -> Any:
    """All labels that a video's annotations can contain; they do not depend on the timeline."""
    main, codes = call.get("of"), env.relation.codes
    if not isinstance(main, Const):
        return tuple(codes.code(word) for word, _ in rating_steps(codes.name(env.ev(main))))
    return tuple(labels_of(main, env.world.video, env.relation).tolist())


def sequence(call: Call, env: Env) -> Any:
    """Elements in order of time; undefined if two have the same time."""
    by = call.get("by")
    timed = [
        (_time(one, place, call) if by is None else env.inside(it=one).ev(by), place, one)
        for place, one in enumerate(elements(call.get("of"), env))
    ]
    times = [time for time, _, _ in timed]
    if None in times or len(set(times)) < len(times):
        raise Undefined
    found = [one for _, _, one in sorted(timed, key=lambda t: t[:2])]
    take = call.get("take")
    if isinstance(take, int):
        found = found[:take] if take > 0 else found[take:]
    if not found or not isinstance(found[0], TrueFact):
        return tuple(found)
    if element(call.type).name == "record":
        return found
    name = (call.get("fields") or ("label",))[0]
    codes = [read(one, name, env) for one in found]
    return tuple(-1 if code is None else code for code in codes)


def _time(one: Any, place: int, call: Call) -> int:
    """Return an element's own time; for labels, their position."""
    if isinstance(one, TrueFact | Interval):
        return one.s if isinstance(one, TrueFact) else one.a
    main = call.get("of")
    of = main[0].type.name if isinstance(main, tuple) else element(main.type).name
    return int(one) if of in ("instant", "duration", "number") else place


def set_(call: Call, env: Env) -> Any:
    """The different values of a field, sorted by id."""
    main = call.get("of")
    if call.get("fields"):
        return elements(main, env)
    if isinstance(main, Pattern):
        return members(env.ev(main), main.field or "label", env)
    found = elements(main, env)
    if found and isinstance(found[0], TrueFact):
        return members(found, "label", env)
    return tuple(sorted(set(found), key=env.relation.codes.name))

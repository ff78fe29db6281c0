"""Read ``unit``: what one question is about (such as a clip), and which time it may use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from surgqa.ontology.times import SECOND_US
from surgqa.transforms.algebra.signature import Param
from surgqa.transforms.algebra.tree import Node
from surgqa.transforms.algebra.types import INSTANT, STRETCH, VIDEO, Type
from surgqa.transforms.language.arguments import durations, record
from surgqa.transforms.language.context import At, ParseContext, Scope
from surgqa.transforms.language.program import Unit
from surgqa.transforms.language.resolve import fitting

PLAIN = ("clip", "still")
_EVERY = Param("period", "At most one item in this time.")
UNIT_KEYS: Mapping[str, Mapping[str, Param]] = {
    "now": {"now": Param("time", "The query time."), "see": Param("see", "Length of the window.",
            required=True), "every": _EVERY, "per": Param("drawn", "At most one item a value.")},
    "stream": {"stream": Param("time", "Start of the stream."), "length": Param(
        "durations", "Its length.", required=True), "every": replace(_EVERY, required=True)},
    "chain": {"chain": Param("drawn", "The name whose value the questions are about."),
              "every": replace(_EVERY, required=True)},
    "recording": {"recording": Param("word", "The whole recording.")},
}  # fmt: skip

NO_UNITS: Mapping[str, str] = {
    "clip": "no video has labels around which clips could be cut",
    "still": "there are no still images, and 'still' asks about nothing else; '{now: any, …}' asks "
             "about a time of a video",
    "recording": "there are only still images, and 'recording' asks about videos; 'still' asks "
                 "about images",
    **dict.fromkeys(("now", "stream", "chain"), "no label has a time: whole videos are labelled"),
}  # fmt: skip
"""Kind of unit -> why a template of this kind is not asked at all if there is no such unit."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_AT: At = ("unit",)


def no_unit(unit: Unit) -> str:
    """Return why a template is not asked at all if no video has a unit of this kind."""
    if unit.per:
        return f"{unit.per!r} has no value in any video, and 'per' asks once for each value"
    return NO_UNITS[unit.kind]


def kind_of(c: ParseContext, data: Any) -> str:
    """Return the kind of a unit, such as ``clip``; '' with a finding if there is no such kind."""
    if data in PLAIN:
        return str(data)
    found = [key for key in UNIT_KEYS if isinstance(data, dict) and key in data]
    if len(found) == 1:
        return found[0]
    known = ", ".join((*PLAIN, *(f"{{{key}: …}}" for key in UNIT_KEYS)))
    c.add("T102", _AT, f"no such unit: {data!r}", f"units: {known}")
    return ""


def scope_of(kind: str) -> Scope:
    """Return the names that templates with this kind of unit can use, such as ``now``."""
    names: dict[str, Type] = {"video": VIDEO}
    if kind != "chain":
        names["window"] = STRETCH
    if kind in ("now", "stream"):
        names["now"] = INSTANT
    if kind == "stream":
        names["round"] = INSTANT
    return Scope(names, default="video" if kind == "chain" else "window")


def before_now(data: Any, let: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of ``let`` that the query time depends on; they cannot use ``now``."""
    now = data.get("now", data.get("stream")) if isinstance(data, dict) else None
    declared = {name: step for key, step in let.items() for name in split_names(key)}
    out: set[str] = set()
    todo = [now]
    while todo:
        for word in _words(todo.pop()):
            if word in declared and word not in out:
                out.add(word)
                todo.append(declared[word])
    return frozenset(out)


def split_names(key: Any) -> tuple[str, ...]:
    """Return the names that one key of ``let`` declares: two for ``tool, other``."""
    return tuple(part.strip() for part in str(key).split(","))


def _words(data: Any) -> set[str]:
    if isinstance(data, str):
        return set(_WORD.findall(data))
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return set().union(*map(_words, parts))


def unit_of(
    c: ParseContext, data: Any, kind: str, scope: Scope, drawn: Mapping[str, bool],
    first: frozenset[str],
) -> Unit:  # fmt: skip
    """Read ``unit``: what one question is about, and which time it may use.

    Args:
        scope: names that ``now`` may use.
        drawn: for each name of ``let``, True if ``each`` draws its value.
        first: names that the query time depends on.
    """
    if kind in ("clip", "still", ""):
        return Unit(kind or "clip", see=None)
    made = record(c, data, _AT, scope, UNIT_KEYS[kind], {
        "time": _time, "see": _see,
        "drawn": lambda c, data, at, scope, param: _drawn(c, data, at, drawn),
    }) or {}  # fmt: skip
    if kind == "now" and ("every" in made) == ("per" in made) and made:
        c.add("T102", _AT, "either 'every' or 'per' is needed to limit the number of items",
              "add 'every: 60 s'")  # fmt: skip
    if drawn.get(made.get("per", "")) and made["per"] not in first:
        c.add("T104", (*_AT, "per"), f"'now' does not depend on {made['per']!r}",
              "use the name in 'now', such as 'now: p.end', or write 'every: 60 s'")  # fmt: skip
    made["shortest"], made["see"] = made.get("see", (0, None))
    made.pop("recording", None)
    if "stream" in made:
        made["now"] = made.pop("stream")
    return Unit(kind, **made)


def _see(c: ParseContext, data: Any, at: At, scope: Scope, param: Param) -> tuple[int, int | None]:
    """Return (shortest, longest) window in microseconds; the longest is None for ``all``.

    Near the start of a video, a window of a fixed length may be shorter, but not below 1 s.
    """
    if data == "all":
        return 0, None
    low, high = durations(c, data, at)
    return (low if low < high else min(high, SECOND_US)), high


def _drawn(c: ParseContext, data: Any, at: At, drawn: Mapping[str, bool]) -> str:
    name = str(data)
    if not drawn.get(name):
        known = [one for one, draws in drawn.items() if draws]
        c.unknown("T104", at, f"no name {name!r} that is drawn by 'each'", name, known, "names")
    c.used.add(name)
    return name


def _time(c: ParseContext, data: Any, at: At, scope: Scope, param: Param) -> Node | None:
    return None if data == "any" else fitting(c, data, at, scope, ("instant",))

"""Units: what one question is about and what it may see."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from transforms.algebra.tree import Node
from transforms.algebra.types import INSTANT, STRETCH, VIDEO, Type
from transforms.language.context import At, Context, Scope, nearest
from transforms.language.program import Unit
from transforms.language.resolve import expression, is_broken
from transforms.language.settings import duration, durations

_PLAIN = ("clip", "still")
_KEYS: Mapping[str, tuple[str, ...]] = {
    "now": ("now", "see", "every", "per"),
    "stream": ("stream", "length", "every"),
    "chain": ("chain", "every"),
    "recording": ("recording",),
}
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "now": ("see",), "stream": ("length", "every"), "chain": ("every",), "recording": (),
}  # fmt: skip

_WORD = re.compile(r"[A-Za-z_]\w*")
_AT: At = ("unit",)


def kind_of(c: Context, data: Any) -> str:
    """The kind of a unit; '' with a finding where it is none."""
    if data in _PLAIN:
        return str(data)
    found = [key for key in _KEYS if isinstance(data, dict) and key in data]
    if len(found) == 1:
        return found[0]
    known = ", ".join((*_PLAIN, *(f"{{{key}: …}}" for key in _KEYS)))
    c.add("T102", _AT, f"no such unit: {data!r}", f"units: {known}")
    return ""


def scope_of(kind: str) -> Scope:
    """The names that a unit gives."""
    names: dict[str, Type] = {"video": VIDEO}
    if kind != "chain":
        names["window"] = STRETCH
    if kind in ("now", "stream"):
        names["now"] = INSTANT
    if kind == "stream":
        names["round"] = INSTANT
    return Scope(names, default="video" if kind == "chain" else "window")


def before_now(data: Any, let: Mapping[str, Any]) -> frozenset[str]:
    """Names of ``let`` that the time of the question rests on; they cannot use ``now``."""
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
    """The names of one line of ``let``: ``tool, other`` are two."""
    return tuple(part.strip() for part in str(key).split(","))


def _words(data: Any) -> set[str]:
    if isinstance(data, str):
        return set(_WORD.findall(data))
    if isinstance(data, dict):
        return set().union(*(_words(value) for value in data.values())) if data else set()
    if isinstance(data, list):
        return set().union(*map(_words, data)) if data else set()
    return set()


def unit_of(c: Context, data: Any, kind: str, scope: Scope, drawn: Mapping[str, bool]) -> Unit:
    """The unit.

    Args:
        scope: names that ``now`` may use.
        drawn: each name of ``let``, and whether it enumerates fillings.
    """
    if kind in ("clip", "still", ""):
        return Unit(kind or "clip", see=None)
    for key in data:
        if key not in _KEYS[kind]:
            c.add("T102", (*_AT, key), f"a unit of {kind!r} has no {key!r}",
                  nearest(str(key), _KEYS[kind], "keys"), key=True)  # fmt: skip
    for key in _NEEDED[kind]:
        if key not in data:
            c.add("T102", _AT, f"{key!r} is missing", f"add '{key}: …'")
    every = duration(c, data["every"], (*_AT, "every")) if "every" in data else None
    per, chain = (_drawn(c, data, key, drawn) for key in ("per", "chain"))
    if kind == "now" and (every is None) == (not per):
        c.add(
            "T102",
            _AT,
            "either 'every' or 'per' says how many items there are",
            "add 'every: 60 s'",
        )
    length = durations(c, data["length"], (*_AT, "length")) if "length" in data else (0, 0)
    shortest, see = _see(c, data.get("see", "all"))
    return Unit(
        kind,
        now=_time(c, data, kind, scope) if kind in ("now", "stream") else None,
        see=see, shortest=shortest, every=every, per=per, chain=chain, length=length,
    )  # fmt: skip


def _see(c: Context, data: Any) -> tuple[int, int | None]:
    """(shortest, longest) window; ``2..10 s`` gives both."""
    if data == "all":
        return 0, None
    low, high = durations(c, data, (*_AT, "see"))
    return (low if low < high else 0), high


def _drawn(c: Context, data: Mapping[str, Any], key: str, drawn: Mapping[str, bool]) -> str:
    if key not in data:
        return ""
    name = str(data[key])
    if not drawn.get(name):
        known = [one for one, draws in drawn.items() if draws]
        c.add("T104", (*_AT, key), f"no name {name!r} that is drawn by 'each'",
              nearest(name, known, "names"))  # fmt: skip
    c.used.add(name)
    return name


def _time(c: Context, data: Mapping[str, Any], kind: str, scope: Scope) -> Node | None:
    at = (*_AT, kind)
    if data[kind] == "any":
        return None
    node = expression(c, data[kind], at, scope)
    if not is_broken(node) and node.type.name != "instant":
        c.mismatch(at, ("instant",), node.type, scope, node.place)
    return node

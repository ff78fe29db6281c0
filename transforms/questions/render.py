"""Filling a wording: each filter prints one kind of thing, in one way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from ontology.boxes import print_box
from ontology.concepts import Term, vocabulary
from ontology.records import IDLE
from ontology.times import print_number, print_seconds
from transforms.language.template import Wording

Pieces = tuple["str | tuple[str, tuple[str, ...], Callable[[Any], str]]", ...]
"""A wording ready to be filled: literal text, or (head, attributes, filter)."""


def prepare(wording: Wording) -> Pieces:
    """Look up the filters of a wording once."""
    return tuple(
        p if isinstance(p, str) else (p.path[0], p.path[1:], FILTERS[p.filters[0]]) for p in wording
    )


def fill(pieces: Pieces, slots: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    """The finished text of a prepared wording."""
    out = []
    for piece in pieces:
        if isinstance(piece, str):
            out.append(piece)
            continue
        head, rest, printed = piece
        if head == "answer":
            value: Any = answer[rest[0]]
        else:
            value = slots[head]
            for attribute in rest:
                value = getattr(value, attribute)
        out.append(printed(value))
    return "".join(out)


# -- instruments and other labels ------------------------------------------


@cache
def term(label: str) -> Term:
    """The term of a concept id, whichever vocabulary it is in."""
    for kind in ("instruments", "verbs", "targets", "phases"):
        found = vocabulary(kind).get(label)
        if found:
            return found
    raise KeyError(label)


def display(label: str) -> str:
    """Display name of a concept id."""
    return term(label).display


def name(thing: Any) -> str:
    """Display name, with the instance number where there is one."""
    number = getattr(thing, "instance", None)
    text = display(thing.label)
    return text if number is None else f"{text} (instance {number})"


def the(thing: Any) -> str:
    """With its article: 'the grasper (instance 2)', 'fluid'."""
    number = getattr(thing, "instance", None)
    phrase = term(thing.label).phrase
    return phrase if number is None else f"{phrase} (instance {number})"


def _agree(singular: str, plural: str) -> Callable[[Any], str]:
    """A word that follows the grammatical number of an instrument's name."""
    return lambda thing: plural if term(thing.label).plural else singular


def _class_plural(thing: Any) -> str:
    found = term(thing.label)
    return found.display if found.plural else f"{found.display}s"


def act(action: Any) -> str:
    """'dissect the cystic duct', 'idle', 'grasp' when there is no target."""
    verb = term(action.verb).display
    if (action.verb, action.target) == IDLE or action.target == "null_target":
        return verb
    return f"{verb} {term(action.target).phrase}"


# -- times, numbers, boxes -------------------------------------------------


def clock(value: Any) -> str:
    """Seconds from the window's start for an instant, a plain length for a number."""
    if isinstance(value, float | int):
        return f"{print_number(value, 2)} s"
    return f"{print_seconds(value.offset_us)} s"


def _box(value: Any) -> str:
    return print_box(getattr(value, "box", value))


def _point(value: Any) -> str:
    return f"({print_number(value.x * 1000, 0)}, {print_number(value.y * 1000, 0)})"


def _signed(value: float) -> str:
    text = print_number(value, 2)
    return text if text.startswith("-") else f"+{text}"


def percent(value: float) -> str:
    """A share as a whole percentage."""
    return f"{print_number(value * 100, 0)}%"


def _count(singular: str, plural: str) -> Callable[[int], str]:
    return lambda n: f"{n} {singular if n == 1 else plural}"


# -- lists -----------------------------------------------------------------


def labels(ids: Any) -> str:
    """Display names, sorted and comma separated, or 'none'."""
    return ", ".join(sorted(map(display, ids))) or "none"


def lines(parts: Any) -> str:
    """Runs one per line; extremes and steps on one line."""
    first = parts[0]
    if "action" in first:
        return " → ".join(f"({clock(p['start'])}) {act(p['action'])}" for p in parts)
    if "side" in first:
        return "; ".join(
            f"Extreme {p['side'].capitalize()}: {print_box(p['box'])} at t={clock(p['time'])}"
            for p in parts
        )
    return "\n".join(
        f"{name(p['tool'])}: Window [{clock(p['start'])} – {clock(p['end'])}], "
        f"Start BBox {print_box(p['start_box'])}, End BBox {print_box(p['end_box'])}"
        for p in parts
    )


FILTERS: dict[str, Callable[[Any], str]] = {
    "clock": clock,
    "the": the,
    "a": lambda thing: term(thing.label).article_phrase,
    "any": lambda thing: f"any {display(thing.label)}",
    "name": name,
    "names": _class_plural,
    "is": _agree("is", "are"),
    "does": _agree("does", "do"),
    "has": _agree("has", "have"),
    "it": _agree("it", "they"),
    "its": _agree("its", "their"),
    "moves": _agree("moves", "move"),
    "interacts": _agree("interacts", "interact"),
    "stops": _agree("stops", "stop"),
    "lies": _agree("lies", "lie"),
    "base": lambda verb: display(verb.label),
    "gerund": lambda verb: term(verb.label).gerund,
    "act": act,
    "box": _box,
    "point": _point,
    "whole": str,
    "two": lambda value: print_number(value, 2),
    "three": lambda value: print_number(value, 3),
    "signed": _signed,
    "percent": percent,
    "stretches": _count("stretch", "stretches"),
    "targets": _count("target", "targets"),
    "list": labels,
    "lines": lines,
    "text": lambda value: getattr(value, "text", value),
    "yes": lambda value: "Yes" if value else "No",
}

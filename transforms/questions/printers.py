"""Print values in texts: for each filter of a wording, such as ``| name``, and each type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.boxes import print_box
from surgqa.ontology.knowledge import effect_text, reason_text
from surgqa.ontology.times import SECOND_US, print_number, print_seconds
from surgqa.ontology.words import act_words, fact_words, label_of, term
from surgqa.transforms.algebra.columns.typed import at_us, number_of

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class PrintContext:
    """What printing needs besides the value.

    Attributes:
        zero_us: time from which seconds are counted, in microseconds.
        track_words: for each track, words that tell it from others of its class, such as
            ' on the left'.
        kind: kind or label domain of the printed value.
        shown: times of the frames that the item shows, in order, in microseconds.
    """

    zero_us: int
    track_words: Mapping[str, str]
    kind: str = ""
    shown: tuple[int, ...] = ()

    def about(self, kind: str) -> PrintContext:
        """Return the same data for a value of another kind or domain."""
        return PrintContext(self.zero_us, self.track_words, kind, self.shown)


Printer = Callable[[Any, PrintContext], str]


def clock(value: Any, sheet: PrintContext) -> str:
    """Print a time, in seconds from the window's start."""
    return f"{print_seconds(at_us(value) - sheet.zero_us)} s"


def length(value: Any, _sheet: PrintContext) -> str:
    """Print a duration, in seconds."""
    return f"{print_seconds(int(number_of(value)))} s"


def span(value: Any, sheet: PrintContext) -> str:
    """Print the start and end of a stretch, in seconds from the window's start."""
    if "start_us" in value:
        value = {"start": value["start_us"], "end": value["end_us"]}
    return f"{clock(value['start'], sheet)} to {clock(value['end'], sheet)}"


def apart(value: Any, sheet: PrintContext) -> str:
    """Print words that tell an instance from others of its class; '' if it is the only one."""
    return sheet.track_words.get(value.get("track", ""), "") if isinstance(value, Mapping) else ""


def _agree(singular: str, plural: str) -> Printer:
    return lambda value, sheet: plural if term(label_of(value), sheet.kind).plural else singular


def _name(value: Any, sheet: PrintContext) -> str:
    return term(label_of(value), sheet.kind).display + apart(value, sheet) if value else "none"


def _names(value: Any, sheet: PrintContext) -> str:
    found = term(label_of(value), sheet.kind)
    return found.display if found.plural else f"{found.display}s"


def _fact(form: str) -> Printer:
    def printed(value: Any, sheet: PrintContext) -> str:
        if isinstance(value, Mapping) and set(value) == {"verb", "target"}:
            return act_words(value, "gerund")
        if not isinstance(value, Mapping) and form == "noun":
            return term(value, sheet.kind).phrase
        fact = value if isinstance(value, Mapping) else {"label": value}
        return fact_words(fact, sheet.kind, form)

    return printed


def _verb(form: str) -> Printer:
    def printed(value: Any, sheet: PrintContext) -> str:
        found = term(value, sheet.kind)
        return getattr(found, form) or found.display

    return printed


def _number(decimals: int, sign: bool = False) -> Printer:
    def printed(value: Any, _sheet: PrintContext) -> str:
        text = print_number(number_of(value), decimals)
        return text if not sign or text.startswith("-") else f"+{text}"

    return printed


def _count(singular: str, plural: str) -> Printer:
    def printed(value: Any, _sheet: PrintContext) -> str:
        n = int(number_of(value))
        return f"{n} {singular if n == 1 else plural}"

    return printed


def _times(value: Any, _sheet: PrintContext) -> str:
    n = int(number_of(value))
    return {1: "once", 2: "twice"}.get(n, f"{n} times")


def _listed(value: Any, sheet: PrintContext) -> str:
    return ", ".join(sorted(term(one, sheet.kind).display for one in value)) or "none"


def _member(one: Any, sheet: PrintContext) -> str:
    if sheet.kind != "act":
        return term(one, sheet.kind).display
    verb, _, target = one.partition(",")
    return act_words({"verb": verb, "target": target or None}, "gerund")


def _line(one: Mapping[str, Any], sheet: PrintContext) -> str:
    """Print one element of a list with its fields, in the order of the template."""
    parts = []
    if "start" in one:
        parts.append(span(one, sheet) if "end" in one else clock(one["start"], sheet))
    if one.get("verb"):
        parts.append(act_words(one, "base"))
    parts += [print_box(one[name]) for name in ("start_box", "end_box") if one.get(name)]
    head = f"{_name(one['track'], sheet)}: " if one.get("track") else ""
    return head + ", ".join(parts)


def _point(value: Any, _sheet: PrintContext) -> str:
    return f"({print_number(value[0] * 1000, 0)}, {print_number(value[1] * 1000, 0)})"


PRINTERS: Mapping[str, Printer] = {
    "clock": clock, "span": span,
    "seconds": lambda value, sheet: f"{print_number(number_of(value) / SECOND_US, 0)} seconds",
    "the": lambda value, sheet: term(label_of(value), sheet.kind).phrase + apart(value, sheet),
    "a": lambda value, sheet: term(label_of(value), sheet.kind).article_phrase,
    "name": _name, "names": _names,
    "any": lambda value, sheet: f"any {term(label_of(value), sheet.kind).display}",
    "is": _agree("is", "are"), "was": _agree("was", "were"), "does": _agree("does", "do"),
    "has": _agree("has", "have"), "it": _agree("it", "they"), "its": _agree("its", "their"),
    "moves": _agree("moves", "move"), "stops": _agree("stops", "stop"),
    "lies": _agree("lies", "lie"), "begins": _agree("begins", "begin"),
    "noun": _fact("noun"), "clause": _fact("clause"), "asks": _fact("asks"),
    "starts": _fact("begins"), "acting": _fact("gerund"),
    "base": _verb("display"), "third": _verb("third"), "gerund": _verb("gerund"),
    "act": lambda value, sheet: act_words(value, "base"),
    "acts": lambda value, sheet: act_words(value, "third"),
    "box": lambda value, sheet: print_box(value),
    "where": lambda value, sheet: f" at {print_box(value)}" if value else "",
    "point": _point,
    "whole": lambda value, sheet: str(int(number_of(value))),
    "two": _number(2), "three": _number(3), "signed": _number(2, sign=True),
    "percent": lambda value, sheet: f"{print_number(number_of(value) * 100, 0)} %",
    "times": _times, "stretches": _count("stretch", "stretches"),
    "targets": _count("target", "targets"),
    "letters": lambda value, sheet: ", ".join(LETTERS[sheet.shown.index(at_us(t))] for t in value),
    "then": lambda value, sheet: ", then ".join(_member(one, sheet) for one in value),
    "list": _listed,
    "lines": lambda value, sheet: "\n".join(_line(one, sheet) for one in value),
    "text": lambda value, sheet: str(value),
    "effect": lambda value, sheet: effect_text(value) or str(value),
    "reason": lambda value, sheet: reason_text(value).removesuffix("."),
    "yes": lambda value, sheet: "Yes" if value else "No",
}  # fmt: skip
"""Filter -> function that prints a value with it."""


def printer(name: str, type_name: str) -> Printer:
    """Return the function of a filter that prints values of a type.

    For a duration, the filter ``clock`` prints a length and not a time.
    """
    return length if name == "clock" and type_name == "duration" else PRINTERS[name]

"""Filters of wordings: the types that each takes and what it prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transforms.algebra.types import Type, element


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter.

    Attributes:
        accepts: names of types, or ``type of domain`` where only one domain has the form.
        doc: what it prints, for example.
        members: names of the types that the elements of a set or sequence may have.
    """

    accepts: tuple[str, ...]
    doc: str
    members: tuple[str, ...] = ()


_NAMED = ("label", "fact", "track")
_ACTS = ("act", "fact of interaction", "fact of activity", "fact of idle", "fact of contact")
_NUMBERS = ("number",)

FILTERS: Mapping[str, Filter] = {
    "clock": Filter(("instant", "duration"), "3.00 s"),
    "seconds": Filter(("duration",), "a whole number of seconds in words of time: 30 seconds"),
    "span": Filter(("stretch", "fact"), "21.50 s to 23.00 s"),
    "the": Filter(_NAMED, "the grasper; of several: the grasper on the left"),
    "a": Filter(_NAMED, "a grasper, scissors, the pylorus"),
    "any": Filter(_NAMED, "any grasper, any scissors"),
    "name": Filter(_NAMED, "grasper"),
    "names": Filter(_NAMED, "graspers"),
    "is": Filter(_NAMED, "is or are"),
    "was": Filter(_NAMED, "was or were"),
    "does": Filter(_NAMED, "does or do"),
    "has": Filter(_NAMED, "has or have"),
    "it": Filter(_NAMED, "it or they"),
    "its": Filter(_NAMED, "its or their"),
    "moves": Filter(_NAMED, "moves or move"),
    "stops": Filter(_NAMED, "stops or stop"),
    "lies": Filter(_NAMED, "lies or lie"),
    "begins": Filter((*_NAMED, *_ACTS), "begins or begin"),
    "noun": Filter((*_NAMED, *_ACTS), "a noun phrase: dissecting the gallbladder with the hook"),
    "clause": Filter((*_NAMED, *_ACTS, "statement"), "a clause: the mucosa looks normal"),
    "asks": Filter((*_NAMED, *_ACTS), "the clause as a question: does the mucosa look normal"),
    "starts": Filter((*_NAMED, *_ACTS), "a clause: the grasper begins to retract the liver"),
    "base": Filter(("label of verb",), "dissect"),
    "third": Filter(("label of verb",), "dissects"),
    "gerund": Filter(("label of verb", "label of action", "label of gesture"), "dissecting"),
    "act": Filter(_ACTS, "dissect the cystic duct"),
    "acting": Filter(_ACTS, "dissecting the cystic duct"),
    "acts": Filter(_ACTS, "dissects the cystic duct"),
    "effect": Filter(("label of effect", "label"), "divides it into separate parts"),
    "reason": Filter(("label of reason",), "Tissue is grasped before it is retracted, because …"),
    "box": Filter(("box",), "[154, 387, 344, 477]"),
    "where": Filter(("box", "fact"), " at [540, 420, 620, 480]; nothing without a box"),
    "point": Filter(("point",), "(154, 387)"),
    "whole": Filter(_NUMBERS, "3"),
    "two": Filter(_NUMBERS, "two decimals"),
    "three": Filter(_NUMBERS, "three decimals"),
    "signed": Filter(_NUMBERS, "two decimals with a sign"),
    "percent": Filter(_NUMBERS, "a share as a whole percentage: 34 %"),
    "times": Filter(_NUMBERS, "once, twice, 3 times"),
    "stretches": Filter(_NUMBERS, "1 stretch, 3 stretches"),
    "targets": Filter(_NUMBERS, "1 target, 3 targets"),
    "list": Filter(("set",), "names with commas, sorted, or none", ("label", "act")),
    "lines": Filter(("set", "sequence"), "one element a line, with its fields", ("record",)),
    "then": Filter(("sequence",), "clip, then cut", ("label", "act")),
    "letters": Filter(("sequence",), "of what is shown: B, A, C", ("instant",)),
    "text": Filter(("word", "statement", "text", "label", "stage"), "as it is"),
    "yes": Filter(("truth",), "Yes or No"),
}


def takes(name: str, given: Type) -> bool:
    """Whether a filter takes values of a type."""
    accepts, members = FILTERS[name].accepts, FILTERS[name].members
    if members and given.of not in ("", "?") and element(given).name not in members:
        return False
    if given.name in accepts or str(given) in accepts:
        return True
    return not given.of and any(a.startswith(f"{given.name} of ") for a in accepts)


def filters_for(given: Type) -> tuple[str, ...]:
    """Names of all filters that take a type."""
    return tuple(name for name in FILTERS if takes(name, given))

"""Filters of the wording: which types each accepts and what it gives.

``transforms.questions.render`` says what they print; a test keeps both in step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Filter:
    """A named filter: accepted input types, and what it prints."""

    accepts: tuple[str, ...]
    doc: str


FILTERS: Mapping[str, Filter] = {
    "clock": Filter(("time", "seconds"), "seconds from the window's start: 3.00 s"),
    "the": Filter(("instrument", "instrument_class", "target"), "the grasper (instance 2)"),
    "a": Filter(("instrument_class",), "a grasper, scissors"),
    "any": Filter(("instrument_class",), "any grasper, any scissors"),
    "name": Filter(("instrument", "instrument_class", "target", "verb"), "grasper (instance 2)"),
    "names": Filter(("instrument_class",), "graspers, scissors (the class in the plural)"),
    "is": Filter(("instrument", "instrument_class"), "is or are"),
    "does": Filter(("instrument", "instrument_class"), "does or do"),
    "has": Filter(("instrument", "instrument_class"), "has or have"),
    "it": Filter(("instrument", "instrument_class"), "it or they"),
    "its": Filter(("instrument", "instrument_class"), "its or their"),
    "moves": Filter(("instrument",), "moves or move"),
    "interacts": Filter(("instrument",), "interacts or interact"),
    "stops": Filter(("instrument",), "stops or stop"),
    "lies": Filter(("instrument",), "lies or lie"),
    "base": Filter(("verb",), "dissect"),
    "gerund": Filter(("verb",), "dissecting"),
    "act": Filter(("action",), "dissect the cystic duct, idle"),
    "box": Filter(("box",), "[154, 387, 344, 477]"),
    "point": Filter(("point",), "(154, 387)"),
    "whole": Filter(("integer",), "a whole number"),
    "two": Filter(("number",), "two decimals"),
    "three": Filter(("number",), "three decimals"),
    "signed": Filter(("number",), "two decimals with a sign"),
    "percent": Filter(("number",), "a share as a whole percentage"),
    "stretches": Filter(("integer",), "1 stretch, 3 stretches"),
    "targets": Filter(("integer",), "1 target, 3 targets"),
    "list": Filter(("labels", "target_labels"), "display names, comma separated, or none"),
    "lines": Filter(("runs", "extremes", "steps"), "the list in its printed form"),
    "text": Filter(("text",), "as it is"),
    "yes": Filter(("yes_no",), "Yes or No"),
}

"""Parameters that many operators share."""

from __future__ import annotations

from transforms.language.operators import Param

TOOL = ("instrument",)
CLASS = ("instrument_class",)
MOMENT = ("instant",)
SPAN = ("interval",)


def a_slot(doc: str, kinds: tuple[str, ...], default: object = ...) -> Param:
    """A slot of one of the kinds."""
    return Param("slot", doc, default, kinds)


def a_tool(doc: str = "The instrument.") -> Param:
    """An instrument slot."""
    return a_slot(doc, TOOL)


def a_moment(doc: str = "The moment.") -> Param:
    """An instant slot."""
    return a_slot(doc, MOMENT)


def a_span(doc: str = "The interval.") -> Param:
    """An interval slot."""
    return a_slot(doc, SPAN)

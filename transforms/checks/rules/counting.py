"""How many, whether any, and which: the closed questions."""

from __future__ import annotations

from typing import Any

from transforms.checks.evidence import classes_of
from transforms.checks.rules.base import Ask, rule


@rule("surgstu", "counting_distinct")
def counting_distinct(ask: Ask) -> dict[str, Any]:
    """Different classes at the moment."""
    return {"number": len(classes_of(ask.clip.at[ask.moment()]))}


@rule("surgstu", "counting_specific")
def counting_specific(ask: Ask) -> dict[str, Any]:
    """Instances of the class at the moment."""
    label = ask.kind()
    return {"number": sum(event.label == label for event in ask.clip.at[ask.moment()])}


@rule("surgstu", "counting_concurrent")
def counting_concurrent(ask: Ask) -> dict[str, Any]:
    """Most instances at one annotated instant of the span."""
    first, last = ask.span()
    return {"number": max(len(ask.clip.at[time]) for time in ask.clip.between(first, last))}


@rule("surgstu", "existence_global")
def existence_global(ask: Ask) -> dict[str, Any]:
    """Whether the class is anywhere in the clip."""
    label = ask.kind()
    ask.whole_clip()
    return {"yes": bool(ask.clip.of_class(label))}


@rule("surgstu", "existence_local_inst")
def existence_local_inst(ask: Ask) -> dict[str, Any]:
    """Whether the class is visible at the moment."""
    label = ask.kind()
    return {"yes": any(event.label == label for event in ask.clip.at[ask.moment()])}


@rule("surgstu", "existence_local_target")
def existence_local_target(ask: Ask) -> dict[str, Any]:
    """Whether some instrument acts on the target at the moment."""
    target, events = ask.label("target"), ask.clip.at[ask.moment()]
    for event in events:
        if target in [pair[1] for pair in event.pairs or ()]:
            return {"yes": True}
    for event in events:
        ask.pairs(event)
    return {"yes": False}


@rule("surgstu", "classes")
def classes(ask: Ask) -> dict[str, Any]:
    """Which classes are visible at the moment."""
    return {"labels": classes_of(ask.clip.at[ask.moment()])}

"""Items about a unit that is cut by rule: an action clip, eight seconds of a stage.

What its slots hold says which rule makes such an item, whatever its template is called; mode
and form follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from transforms.checks.options import option_shape, show
from transforms.checks.queries.base import Query, Rule, Value, measured

Problem = tuple[str, str]
Said = Callable[[Query, Value], Iterator[Problem]]
"""What is wrong with the options or the text, given the recomputed answer value."""

CLIP, CONTINUATION = {"current_s", "clip_number"}, {"sample_id", "track"}
"""Slots that nothing but such an item has; more than one, so that one may be lost."""

CLOSE = 1e-6
"""Slack of shares and of measured seconds."""


class NotThePicture(Exception):
    """The question is put at a picture at which its rule puts none; says why."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One kind of item.

    Attributes:
        mode, form: those that its items have.
        truth: recomputes the answer value; what is wrong beside it goes to the query's notes.
    """

    mode: str
    form: str
    truth: Rule
    said: Said


UNITS: dict[str, Unit] = {}


def unit(name: str, mode: str, said: Said, form: str = "choice") -> Callable[[Rule], Rule]:
    """Mark a function as the truth of such items."""

    def mark(function: Rule) -> Rule:
        UNITS[name] = Unit(mode, form, function, said)
        return function

    return mark


def unit_of(row: Mapping[str, Any], slots: Mapping[str, Any] | None) -> str | None:
    """The kind of unit that an item is about, by what its slots say of it."""
    slots = slots or {}
    if slots.keys() & CLIP:
        return "plan" if "horizon" in slots else f"next_action{'_history' * ('told' in slots)}"
    if not slots.keys() & CONTINUATION:
        return None
    if row["form"] == "continuation" or "stage" in slots:
        return "continuation"
    if "shown_us" in slots:
        return "frame_order"
    return "stage_now" if row["temporal_mode"] == "present" else "next_stage"


def unit_problems(row: Mapping[str, Any], name: str) -> Iterator[Problem]:
    """Mode and form are those of the kind."""
    one = UNITS[name]
    if row["temporal_mode"] != one.mode or row["task_mode"] != "single_turn":
        yield "mode_differs", f"{name}: {row['task_mode']} {row['temporal_mode']}"
    if row["form"] != one.form:
        yield "options_malformed", f"{name} in form {row['form']}"


def compare_slots(query: Query, truth: Mapping[str, Any]) -> None:
    """Note every slot that is not what the evidence gives."""
    for name, wanted in truth.items():
        if name not in query.slots:
            query.note("slots_malformed", f"slot {name!r} is missing")
        elif not same(query.slots[name], wanted):
            query.note("slot_differs", f"{name}: {query.slots[name]!r}, recomputed {wanted!r}")


def compare_measured(query: Query, truth: Mapping[str, float | None]) -> None:
    """Note every measured value that is not the one of the evidence."""
    for name, wanted in truth.items():
        found = measured(query.row, name)
        if not same(found, wanted):
            query.note("measure_differs", f"{name}: {found}, recomputed {wanted}")


def same(stored: Any, truth: Any) -> bool:
    """Equal and of one type; decimals to a millionth."""
    if isinstance(truth, float):
        number = isinstance(stored, int | float) and not isinstance(stored, bool)
        return number and abs(stored - truth) <= CLOSE
    if isinstance(truth, list):
        both = isinstance(stored, list) and len(stored) == len(truth)
        return both and all(same(a, b) for a, b in zip(stored, truth, strict=True))
    return stored == truth and isinstance(stored, bool) == isinstance(truth, bool)


def choice_problems(
    row: Mapping[str, Any], count: int, wanted: object, read: Callable[[str], object]
) -> Iterator[Problem]:
    """So many options, well formed; the right one true, every other one false.

    Args:
        wanted: the truth as ``read`` reads it.
        read: an option's text as a value, None where it cannot be read.
    """
    options = row["options"] or []
    if len(options) != count:
        yield "options_malformed", f"{len(options)} options, not {count}"
        return
    malformed = list(option_shape(row, options))
    yield from malformed
    if not malformed:
        yield from _truth(options, wanted, read)


def _truth(
    options: list[dict[str, Any]], wanted: object, read: Callable[[str], object]
) -> Iterator[Problem]:
    meanings = []
    for option in options:
        found, shown = read(option["text"]), f"{option['key']}) {option['text']}"
        if found is None:
            yield "option_unreadable", shown
            continue
        if option["is_answer"] and found != wanted:
            yield "option_false", f"{shown}: the truth is {show(wanted)}"
        elif not option["is_answer"] and found == wanted:
            yield "option_true", f"{shown} is true"
        meanings.append(found)
    if any(one in meanings[:k] for k, one in enumerate(meanings)):
        yield "options_malformed", f"two options mean the same: {meanings}"

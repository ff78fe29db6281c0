"""Which moments of an item are worth showing, and which boxes belong on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

QUESTION, ANSWER = "question", "answer"
SHOWN = 3
"""Most pictures of one item."""

_BOXES = (
    ("box_xyxy", "time_us", ""),
    ("start_box_xyxy", "start_us", "start"),
    ("end_box_xyxy", "end_us", "end"),
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A box (or a point, as a box without size) at an instant.

    Attributes:
        part: ``question`` or ``answer``.
        label: a word or two to write beside it, or nothing.
    """

    time_us: int
    box_xyxy: tuple[float, float, float, float]
    part: str
    label: str


def value_of(row: Mapping[str, Any], key: str) -> dict[str, Any]:
    """``answer_value`` or ``slots`` of a row, parsed where it is still JSON text."""
    value = row.get(key) or {}
    return orjson.loads(value) if isinstance(value, str | bytes) else value


def marks_of(row: Mapping[str, Any], events: Sequence[Mapping[str, Any]] = ()) -> list[Mark]:
    """Boxes of an item: its answer's, those it asks about, and its point.

    Args:
        row: one row of ``data/``.
        events: rows of ``evidence/events`` of the same video; with them the instruments
            that question or answer name without a box are marked wherever they are.
    """
    slots, value = value_of(row, "slots"), value_of(row, "answer_value")
    default = _default_time(row, slots)
    marks = [Mark(t, b, ANSWER, n) for t, b, n in _boxes(value, default)]
    marks += [
        Mark(t, b, QUESTION, "") for k in sorted(slots) for t, b, _ in _boxes(slots[k], default)
    ]
    point = slots.get("point")
    if point:
        place = (point["x"], point["y"], point["x"], point["y"])
        marks.append(Mark(default, place, QUESTION, ""))
    return marks + _tracked(value, slots, events, marks)


def _named(value: Mapping[str, Any], slots: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Track -> (part, name) of instruments that are named without a box of their own."""
    found = {
        slots[key]["track_id"]: (QUESTION, _name(slots[key]))
        for key in ("tool", "other")
        if isinstance(slots.get(key), Mapping) and slots[key].get("track_id")
    }
    if value.get("track_id") and not value.get("box_xyxy"):
        found[value["track_id"]] = (ANSWER, _name(value))
    return found


def _tracked(value, slots, events, marks: list[Mark]) -> list[Mark]:
    """Boxes of named instruments, wherever no answer box lies on the same spot."""
    taken = {(m.time_us, m.box_xyxy) for m in marks if m.part == ANSWER}
    tracks = _named(value, slots)
    out = []
    for event in events:
        if event.get("track_id") not in tracks or event.get("x1") is None:
            continue
        box = tuple(event[k] for k in ("x1", "y1", "x2", "y2"))
        if (event["time_us"], box) not in taken:
            out.append(Mark(event["time_us"], box, *tracks[event["track_id"]]))
    return out


def _boxes(value: Any, default: int) -> Iterator[tuple[int, tuple, str]]:
    """(time, box, name) of every box inside a value, in the value's order."""
    if isinstance(value, Mapping):
        for key, when, word in _BOXES:
            if value.get(key):
                time_us = value.get(when)
                name = " ".join(filter(None, (_name(value), value.get("side"), word)))
                yield default if time_us is None else time_us, tuple(value[key]), name
        for key in sorted(value):
            yield from _boxes(value[key], default)
    elif isinstance(value, list):
        for entry in value:
            yield from _boxes(entry, default)


def _name(value: Mapping[str, Any]) -> str:
    label, instance = value.get("label"), value.get("instance")
    return f"{label} {instance}" if label and instance else str(label or "")


def _default_time(row: Mapping[str, Any], slots: Mapping[str, Any]) -> int:
    for name, key in (("moment", "time_us"), ("span", "start_us")):
        if isinstance(slots.get(name), Mapping) and slots[name].get(key) is not None:
            return slots[name][key]
    query = row.get("query_us")
    return row["start_us"] if query is None else query


def shown_times(row: Mapping[str, Any]) -> list[int]:
    """One to three instants in microseconds that show what the item is about, ascending.

    The asked moment and the answer's own instants where it has them; else, and up to
    three, start, end and middle of the span or window, on the grid of the evidence.
    """
    slots = value_of(row, "slots")
    default = _default_time(row, slots)
    times = {t for t, _, _ in _boxes(value_of(row, "answer_value"), default)}
    if "moment" in slots or row.get("query_us") is not None:
        return _spread(sorted({default, *times}), default)
    start, end = _span(row, slots)
    step = row.get("resolution_us") or 1
    for time_us in (start, end, start + (end - start) // 2 // step * step):
        if len(times) < SHOWN:
            times.add(time_us)
    return _spread(sorted(times), default)


def _span(row, slots) -> tuple[int, int]:
    span = slots.get("span")
    if isinstance(span, Mapping) and "end_us" in span:
        return span["start_us"], span["end_us"]
    last = row["end_us"] - (row.get("resolution_us") or 1)
    return row["start_us"], max(row["start_us"], last)


def _spread(times: list[int], keep: int) -> list[int]:
    """At most ``SHOWN`` of the times: first, ``keep`` (or the middle one), last."""
    if len(times) <= SHOWN:
        return times
    inner = keep if times[0] < keep < times[-1] else times[len(times) // 2]
    return [times[0], inner, times[-1]]

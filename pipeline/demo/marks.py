"""Which moments of an item are worth showing, and which boxes belong on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

QUESTION, ANSWER = "question", "answer"
SHOWN = 3
"""Most pictures of one item."""


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
    taken = {(mark.time_us, mark.box_xyxy) for mark in marks}
    marks += [Mark(t, b, QUESTION, "") for t, b, _ in _boxes(slots, default) if (t, b) not in taken]
    tracks = {name: (QUESTION, label) for name, label in _tracks(slots)}
    tracks |= {name: (ANSWER, label) for name, label in _tracks(value) if not taken}
    for event in events:
        box = tuple(event[k] for k in ("x1", "y1", "x2", "y2"))
        named = event.get("track_id") in tracks and None not in box
        if named and (event["time_us"], box) not in taken:
            marks.append(Mark(event["time_us"], box, *tracks[event["track_id"]]))
    return marks


def _tracks(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(track, name) of the instances among typed values."""
    for one in values.values():
        if isinstance(one, Mapping) and one.get("track"):
            yield one["track"], _label(one)


def _boxes(value: Any, default: int) -> Iterator[tuple[int, tuple, str]]:
    """(time, box, name) of every box in typed values, in their order by name.

    A box has the time that stands beside it: ``low.box`` that of ``low.start``, ``end_box`` that
    of ``end``.
    """
    if isinstance(value, Mapping):
        label = next((label for _, label in _tracks(value)), "")
        for name in sorted(value):
            if not _is_box(value[name]):
                yield from _boxes(value[name], default)
                continue
            beside = name.removesuffix("_box") if name.endswith("_box") else f"{name[:-3]}start"
            time_us, side = _time(value.get(beside)), name.partition("_box")[0]
            words = " ".join(filter(None, (label, side if side in ("start", "end") else "")))
            yield default if time_us is None else time_us, tuple(value[name]), words
    elif isinstance(value, list):
        for entry in value:
            yield from _boxes(entry, default)


def _is_box(value: Any) -> bool:
    sized = isinstance(value, list) and len(value) == 4
    return sized and all(isinstance(edge, int | float) and 0 <= edge <= 1 for edge in value)


def _label(fact: Mapping[str, Any]) -> str:
    return str(fact.get("label") or fact.get("subject") or "")


def _time(value: Any) -> int | None:
    """An instant, with or without bounds."""
    found = value.get("time_us") if isinstance(value, Mapping) else value
    return found if isinstance(found, int) else None


def _default_time(row: Mapping[str, Any], slots: Mapping[str, Any]) -> int:
    span = slots.get("span")
    asked = (slots.get("moment"), span.get("start") if isinstance(span, Mapping) else None,
             row.get("query_us"), row["start_us"])  # fmt: skip
    return next(time for time in map(_time, asked) if time is not None)


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
    if isinstance(span, Mapping):
        start, end = _time(span.get("start")), _time(span.get("end"))
        if start is not None and end is not None:
            return start, end
    last = row["end_us"] - (row.get("resolution_us") or 1)
    return row["start_us"], max(row["start_us"], last)


def _spread(times: list[int], keep: int) -> list[int]:
    """At most ``SHOWN`` of the times: first, ``keep`` (or the middle one), last."""
    if len(times) <= SHOWN:
        return times
    inner = keep if times[0] < keep < times[-1] else times[len(times) // 2]
    return [times[0], inner, times[-1]]

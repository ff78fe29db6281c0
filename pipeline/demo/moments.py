"""Choose the instants of an item whose frames are worth showing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

SHOWN = 3
"""Maximum number of instants of one item."""


def value_of(row: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return ``answer_value`` or ``slots`` of a row, parsed if it is still JSON text."""
    value = row.get(key) or {}
    return orjson.loads(value) if isinstance(value, str | bytes) else value


def _times(value: Any, default: int) -> Iterator[int]:
    """Yield the times of all boxes in typed values.

    A box has the time of its sibling key: ``low.box`` has the time ``low.start``, ``end_box`` the
    time ``end``.
    """
    if isinstance(value, Mapping):
        for name, one in value.items():
            if not _is_box(one):
                yield from _times(one, default)
                continue
            beside = name.removesuffix("_box") if name.endswith("_box") else f"{name[:-3]}start"
            time_us = _time(value.get(beside))
            yield default if time_us is None else time_us
    elif isinstance(value, list):
        for entry in value:
            yield from _times(entry, default)


def _is_box(value: Any) -> bool:
    sized = isinstance(value, list) and len(value) == 4
    return sized and all(isinstance(edge, int | float) and 0 <= edge <= 1 for edge in value)


def _time(value: Any) -> int | None:
    """Return the time of an instant, which is a number or has bounds; None for other values."""
    found = value.get("time_us") if isinstance(value, Mapping) else value
    return found if isinstance(found, int) else None


def _default_time(row: Mapping[str, Any], slots: Mapping[str, Any]) -> int:
    span = slots.get("span")
    asked = (slots.get("moment"), span.get("start") if isinstance(span, Mapping) else None,
             row.get("query_us"), row["start_us"])  # fmt: skip
    return next(time for time in map(_time, asked) if time is not None)


def shown_times(row: Mapping[str, Any]) -> list[int]:
    """Return one to three times in microseconds whose frames show what the item is about.

    These are the query time and the instants of the answer. If there are fewer than three, the
    start, the end and the middle of the span or window are added, on the grid of the evidence.
    """
    slots = value_of(row, "slots")
    default = _default_time(row, slots)
    times = set(_times(value_of(row, "answer_value"), default))
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
    """Return at most :data:`SHOWN` times: the first, ``keep`` or the middle one, the last."""
    if len(times) <= SHOWN:
        return times
    inner = keep if times[0] < keep < times[-1] else times[len(times) // 2]
    return [times[0], inner, times[-1]]

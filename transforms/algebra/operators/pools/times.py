"""Wrong times near a correct time: evenly spaced instants or stretches.

The options do not reveal the correct time. All distances between them are equal, all seconds have
the same decimals, and a hash decides whether the correct time is the first, second, … of them. The
correct time is known only within bounds; every wrong time lies outside these bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from surgqa.ontology.keys import Key
from surgqa.ontology.times import SECOND_US, frame_to_us
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.select import stretch_of
from surgqa.transforms.algebra.columns.typed import at_us
from surgqa.transforms.algebra.tree import Amount, Call
from surgqa.transforms.algebra.walk import nodes_of

Time = Any
"""Microseconds of an instant, or ``{"start", "end"}`` of a stretch."""

FINE = 4
"""If options are at least this many frames apart, their distance is a whole number of frames."""


@dataclass(frozen=True, slots=True)
class Room:
    """The interval in which the options of a question may lie.

    Attributes:
        low, high: earliest and latest time of all options, microseconds.
        most: greatest distance from the first option's start to the last option's end.
    """

    low: int
    high: int
    most: int

    def holds(self, spans: Sequence[tuple[int, int]]) -> bool:
        """True if all the spans fit into the interval."""
        first, last = min(a for a, _ in spans), max(b for _, b in spans)
        return self.low <= first and last <= self.high and last - first <= self.most


def narrowed(rooms: Sequence[Room], pool: Call, rows: Rows) -> list[Room]:
    """Return the interval of each row, limited to the stretch ``inside`` in the template."""
    out = list(rooms)
    for node in nodes_of(pool.get("inside")):
        held = stretch_of(evaluate(node, rows))
        edges = (held.start.hi - rows.base).tolist(), (held.end.lo - rows.base).tolist()
        out = [Room(max(r.low, a), min(r.high, b), r.most)
               for r, a, b in zip(out, *edges, strict=True)]  # fmt: skip
    return out


@dataclass(frozen=True, slots=True)
class TimeRequest:
    """One question that needs wrong times.

    Attributes:
        answer: the correct time.
        wanted: number of wrong times.
        apart: for instants: the least distance between options, microseconds.
        key: hash key that draws the position of the correct time among the options.
        even: True to offer nothing if the drawn position fails; False to try other positions.
    """

    answer: Time
    wanted: int
    room: Room
    key: Key
    fps: Fraction
    apart: int = SECOND_US
    even: bool = False


def apart_of(amount: object) -> int:
    """Return the distance ``apart`` in the template, in microseconds; one second by default."""
    return int(amount.low) if isinstance(amount, Amount) else SECOND_US


def span_of(value: Time) -> tuple[int, int]:
    """Return a time as it is printed: (start, end); both are equal for an instant."""
    if isinstance(value, dict) and "start" in value:
        return at_us(value["start"]), at_us(value["end"])
    return at_us(value), at_us(value)


def reach_of(value: Time) -> tuple[int, int]:
    """Return the bounds within which the time lies: (earliest, latest)."""
    if isinstance(value, dict) and "earliest_us" in value:
        return value["earliest_us"], value["latest_us"]
    return span_of(value)


def candidates(one: TimeRequest) -> list[Time]:
    """Return all times that can be options, whatever position the correct time has, each once."""
    return [value for value in _row(one, -one.wanted, one.wanted)
            if one.room.holds([span_of(value)])]  # fmt: skip


def chosen(one: TimeRequest, free: Sequence[Time]) -> list[Time]:
    """Return the wrong times, taken from ``free``; empty if there are too few.

    Args:
        free: times that are certainly wrong.
    """
    places = places_of(one.key, one.wanted)
    certain = {span_of(value) for value in free}
    for place in places[:1] if one.even else places:
        times = _row(one, -place, one.wanted - place)
        spans = [span_of(value) for value in times]
        if certain.issuperset(spans) and one.room.holds([*spans, span_of(one.answer)]):
            return times
    return []


def places_of(key: Key, wanted: int) -> list[int]:
    """Return the possible positions of the correct time among wrong ones, the drawn one first."""
    return [int(one) for one in key.extended("place").ordered(map(str, range(wanted + 1)))]


def rows_around(
    answer: Time, wanted: int, places: Sequence[int], apart: int, fps: Fraction
) -> tuple[int, int]:
    """Return the first and last time of all options for these positions of the correct time."""
    start, end = span_of(answer)
    step = end - start or spacing(answer, apart, fps)
    return start - max(places) * step, end + (wanted - min(places)) * step


def spacing(answer: Time, apart: int, fps: Fraction) -> int:
    """Return the distance from one option to the next, microseconds.

    It keeps every wrong time at least ``apart``, and at least the width of the correct time's
    bounds, away from these bounds. It is a multiple of that width, as if all options were annotated
    with the same precision; for more exact times, it is a whole number of frames.
    """
    before, after = reach_of(answer)
    grid, half = after - before + 1, margin(answer)
    step = -(-(half + max(apart, after - before)) // grid) * grid
    frames = ceil(step * fps / SECOND_US)
    return step if grid * fps > SECOND_US or frames < FINE else frame_to_us(frames, fps)


def margin(answer: Time) -> int:
    """Return the greatest distance of the correct time from its printed value, microseconds."""
    (before, after), (start, end) = reach_of(answer), span_of(answer)
    return max(start - before, after - end)


def _row(one: TimeRequest, first: int, last: int) -> list[Time]:
    """Return the wrong times at positions ``first`` to ``last``; the correct time is position 0."""
    places = [k for k in range(first, last + 1) if k]
    start, end = span_of(one.answer)
    if isinstance(one.answer, dict) and "start" in one.answer:
        wide = end - start
        return [{"start": start + k * wide, "end": end + k * wide} for k in places]
    step = spacing(one.answer, one.apart, one.fps)
    return [start + k * step for k in places]

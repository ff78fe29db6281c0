"""Distractor times near an answer: evenly spaced instants or stretches.

The options do not reveal the correct time: all distances between them are equal, all seconds have
the same decimals, and the position of the correct time is drawn. A distractor lies outside the
whole range of the correct time.
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
"""Typed: microseconds of an instant, ``{"start", "end"}`` of a stretch."""

FINE = 4
"""If at least this many frames fit into the distance, instants are whole frames apart."""


@dataclass(frozen=True, slots=True)
class Room:
    """The interval in which options may lie.

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
    """Return the room of each row, limited to the stretch or window that the pool names."""
    out = list(rooms)
    for node in nodes_of(pool.get("inside")):
        held = stretch_of(evaluate(node, rows))
        edges = (held.start.hi - rows.base).tolist(), (held.end.lo - rows.base).tolist()
        out = [Room(max(r.low, a), min(r.high, b), r.most)
               for r, a, b in zip(out, *edges, strict=True)]  # fmt: skip
    return out


@dataclass(frozen=True, slots=True)
class TimeRequest:
    """One row that needs distractor times.

    Attributes:
        answer: the typed answer.
        wanted: number of distractors.
        apart: for instants: the least distance, microseconds.
        key: draws the position of the correct time.
        even: use only the drawn position, or offer nothing; otherwise try the other positions too.
    """

    answer: Time
    wanted: int
    room: Room
    key: Key
    fps: Fraction
    apart: int = SECOND_US
    even: bool = False


def apart_of(amount: object) -> int:
    """Return the least distance that a pool states, microseconds; one second by default."""
    return int(amount.low) if isinstance(amount, Amount) else SECOND_US


def span_of(value: Time) -> tuple[int, int]:
    """Return a typed time as printed: (start, end)."""
    if isinstance(value, dict) and "start" in value:
        return at_us(value["start"]), at_us(value["end"])
    return at_us(value), at_us(value)


def reach_of(value: Time) -> tuple[int, int]:
    """Return the whole range of a typed time: (earliest, latest)."""
    if isinstance(value, dict) and "earliest_us" in value:
        return value["earliest_us"], value["latest_us"]
    return span_of(value)


def candidates(one: TimeRequest) -> list[Time]:
    """Return all times that could be options for some position of the correct time, each once."""
    return [value for value in _row(one, -one.wanted, one.wanted)
            if one.room.holds([span_of(value)])]  # fmt: skip


def chosen(one: TimeRequest, free: Sequence[Time]) -> list[Time]:
    """Return the distractors, chosen from certainly wrong times; empty if there are too few."""
    places = places_of(one.key, one.wanted)
    certain = {span_of(value) for value in free}
    for place in places[:1] if one.even else places:
        times = _row(one, -place, one.wanted - place)
        spans = [span_of(value) for value in times]
        if certain.issuperset(spans) and one.room.holds([*spans, span_of(one.answer)]):
            return times
    return []


def places_of(key: Key, wanted: int) -> list[int]:
    """Return the positions of the correct time among the distractors, the preferred one first."""
    return [int(one) for one in key.extended("place").ordered(map(str, range(wanted + 1)))]


def rows_around(
    answer: Time, wanted: int, places: Sequence[int], apart: int, fps: Fraction
) -> tuple[int, int]:
    """Return the range (start, end) of all options if the correct time has any of ``places``."""
    start, end = span_of(answer)
    step = end - start or spacing(answer, apart, fps)
    return start - max(places) * step, end + (wanted - min(places)) * step


def spacing(answer: Time, apart: int, fps: Fraction) -> int:
    """Return the distance from one instant to the next, microseconds.

    Every distractor is then at least ``apart``, and at least the width of the correct time's range,
    away from that range. It is a multiple of that width (so that distractors could be labels too)
    or of a frame.
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
    """Return the distractor times at these positions; the correct time is at position 0."""
    places = [k for k in range(first, last + 1) if k]
    start, end = span_of(one.answer)
    if isinstance(one.answer, dict) and "start" in one.answer:
        wide = end - start
        return [{"start": start + k * wide, "end": end + k * wide} for k in places]
    step = spacing(one.answer, one.apart, one.fps)
    return [start + k * step for k in places]

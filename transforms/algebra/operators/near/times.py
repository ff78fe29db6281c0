"""Times near an answer: instants and stretches in one row, evenly from one to the next.

A row shows nothing of which of it is right: all distances are alike, all seconds have the same
decimals, and at which place the right one stands is drawn.  A wrong time lies outside everything
that the right one may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from ontology.keys import Key
from ontology.times import SECOND_US, frame_to_us
from transforms.algebra.columns.typed import at_us
from transforms.algebra.tree import Amount

Time = Any
"""Typed: microseconds of an instant, ``{"start", "end"}`` of a stretch."""

FINE = 4
"""Instants lie whole frames apart where at least so many fit into their distance."""


@dataclass(frozen=True, slots=True)
class Room:
    """Where options may lie.

    Attributes:
        low, high: all of them between these, microseconds.
        most: from the first's start to the last's end at most so long.
    """

    low: int
    high: int
    most: int

    def holds(self, spans: Sequence[tuple[int, int]]) -> bool:
        """Whether all of them fit in."""
        first, last = min(a for a, _ in spans), max(b for _, b in spans)
        return self.low <= first and last <= self.high and last - first <= self.most


@dataclass(frozen=True, slots=True)
class Asked:
    """One row for which wrong times are wanted.

    Attributes:
        answer: typed.
        wanted: how many.
        apart: of instants: the least distance, microseconds.
        key: draws the place of the right one.
        even: the right one stands where it is drawn, or nothing is offered; else at any place
            for which there is room.
    """

    answer: Time
    wanted: int
    room: Room
    key: Key
    fps: Fraction
    apart: int = SECOND_US
    even: bool = False


def apart_of(amount: object) -> int:
    """The least distance that a pool states; a second without."""
    return int(amount.low) if isinstance(amount, Amount) else SECOND_US


def span_of(value: Time) -> tuple[int, int]:
    """A typed time as printed, as (start, end)."""
    if isinstance(value, dict) and "start" in value:
        return at_us(value["start"]), at_us(value["end"])
    return at_us(value), at_us(value)


def reach_of(value: Time) -> tuple[int, int]:
    """All that a typed time may be, as (start, end)."""
    if isinstance(value, dict) and "earliest_us" in value:
        return value["earliest_us"], value["latest_us"]
    return span_of(value)


def candidates(one: Asked) -> list[Time]:
    """Every time that some place of the right one in the row could use, each once."""
    return [value for value in _row(one, -one.wanted, one.wanted)
            if one.room.holds([span_of(value)])]  # fmt: skip


def chosen(one: Asked, free: Sequence[Time]) -> list[Time]:
    """The wrong times, of those that are certainly wrong; none where they do not suffice."""
    places = places_of(one.key, one.wanted)
    certain = {span_of(value) for value in free}
    for place in places[:1] if one.even else places:
        times = _row(one, -place, one.wanted - place)
        spans = [span_of(value) for value in times]
        if certain.issuperset(spans) and one.room.holds([*spans, span_of(one.answer)]):
            return times
    return []


def places_of(key: Key, wanted: int) -> list[int]:
    """Where the right time stands among so many wrong ones, the first choice first."""
    return [int(one) for one in key.extended("place").ordered(map(str, range(wanted + 1)))]


def rows_around(
    answer: Time, wanted: int, places: Sequence[int], apart: int, fps: Fraction
) -> tuple[int, int]:
    """From where to where the rows reach in which the right time stands at these places."""
    start, end = span_of(answer)
    step = end - start or spacing(answer, apart, fps)
    return start - max(places) * step, end + (wanted - min(places)) * step


def spacing(answer: Time, apart: int, fps: Fraction) -> int:
    """How far instants lie from one to the next, microseconds.

    Each lies that much, and at least as much as the right one's range is wide, beyond that range.
    It is a multiple of the range, so that wrong ones could be labels too, or of a frame.
    """
    before, after = reach_of(answer)
    grid, half = after - before + 1, margin(answer)
    step = -(-(half + max(apart, after - before)) // grid) * grid
    frames = ceil(step * fps / SECOND_US)
    return step if grid * fps > SECOND_US or frames < FINE else frame_to_us(frames, fps)


def margin(answer: Time) -> int:
    """How far the right time may lie from where it is printed, microseconds."""
    (before, after), (start, end) = reach_of(answer), span_of(answer)
    return max(start - before, after - end)


def _row(one: Asked, first: int, last: int) -> list[Time]:
    """The row's times at these places, but the right one, which stands at 0."""
    places = [k for k in range(first, last + 1) if k]
    start, end = span_of(one.answer)
    if isinstance(one.answer, dict) and "start" in one.answer:
        wide = end - start
        return [{"start": start + k * wide, "end": end + k * wide} for k in places]
    step = spacing(one.answer, one.apart, one.fps)
    return [start + k * step for k in places]

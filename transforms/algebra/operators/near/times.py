"""Times near an answer: instants apart from it, stretches of its length beside it.

A wrong time lies outside everything that the right one may be, and where the right one stands
among the four is drawn, so that no place is likelier than another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ontology.keys import Key
from ontology.times import SECOND_US, frame_to_us
from transforms.algebra.columns.typed import at_us
from transforms.algebra.tree import Amount

Time = Any
"""Typed: microseconds of an instant, ``{"start", "end"}`` of a stretch."""

CLOSEST = 4
"""Instants on one side are apart by at least this part of the nearest distance."""

FINE = 4
"""Instants are moved to whole frames where at least so many fit into their distance."""


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
        apart: of instants, nearest and farthest distance, microseconds.
        preferred: starts of other events, which the fairest stretches begin at.
    """

    answer: Time
    wanted: int
    room: Room
    key: Key
    fps: Fraction
    apart: tuple[int, int] = (SECOND_US, SECOND_US)
    preferred: tuple[int, ...] = ()


def apart_of(amount: object) -> tuple[int, int]:
    """The nearest and farthest distance that a pool states; a second without."""
    if not isinstance(amount, Amount):
        return SECOND_US, SECOND_US
    return int(amount.low), int(amount.high)


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
    """Every time that some choice could use, each once."""
    if isinstance(one.answer, dict) and "start" in one.answer:
        return [_stretch(a, b) for a, b in _beside(one)]
    found = {t for place in range(one.wanted + 1) for t in _instants(one, place)}
    return [t for t in sorted(found) if one.room.low <= t < one.room.high]


def chosen(one: Asked, free: Sequence[Time]) -> list[Time]:
    """The wrong times, of those that are certainly wrong; none where they do not suffice."""
    places = map(int, one.key.extended("place").ordered([str(k) for k in range(one.wanted + 1)]))
    if isinstance(one.answer, dict) and "start" in one.answer:
        return _chosen_stretches(one, {span_of(value) for value in free}, list(places))
    for place in places:
        times = _instants(one, place)
        if set(times) <= set(free) and one.room.holds([span_of(t) for t in (*times, one.answer)]):
            return times
    return []


# -- instants -----------------------------------------------------------------------------------


def _instants(one: Asked, place: int) -> list[Time]:
    """Wrong instants of which so many lie before the right one."""
    at = at_us(one.answer)
    before, after = reach_of(one.answer)
    slack = after - before
    return [
        *(at - d for d in _away(place, at - before, slack, one)),
        *(at + d for d in _away(one.wanted - place, after - at, slack, one)),
    ]


def _away(n: int, half: int, slack: int, one: Asked) -> list[int]:
    """Distances of n instants on one side: evenly from the nearest to the farthest.

    The nearest lies its distance, and at least as much as the right one's range is wide, beyond
    that range.  Where that leaves no room up to the farthest, they lie one such distance apart.
    """
    near, far = one.apart
    least = max(near, slack)
    first, gaps = half + least, max(n - 1, 1)
    step = (far - first) // gaps
    if n > 1 and step * CLOSEST < near:
        step = least
    return [_on_frame(first + k * step, far, one.fps) for k in range(n)]


def _on_frame(away: int, far: int, fps: Fraction) -> int:
    """A distance in whole frames, where they are fine enough to make no difference."""
    frame = frame_to_us(1, fps)
    later = frame_to_us(-(-away // frame), fps)
    return away if frame * FINE > away or away <= far < later else later


# -- stretches ----------------------------------------------------------------------------------


def _stretch(start: int, end: int) -> Time:
    return {"start": start, "end": end}


def _beside(one: Asked) -> Iterator[tuple[int, int]]:
    """Stretches as long as the answer that do not meet it: of other events, then on its grid."""
    start, end = span_of(one.answer)
    wide = end - start
    first = {a // SECOND_US * SECOND_US for a in one.preferred}
    last = range(start - (start - one.room.low) // wide * wide, one.room.high - wide + 1, wide)
    for a in dict.fromkeys([*sorted(first), *last]):
        if one.room.low <= a and a + wide <= one.room.high and (a + wide <= start or a >= end):
            yield a, a + wide


def _chosen_stretches(
    one: Asked, free: set[tuple[int, int]], places: Sequence[int]
) -> list[Time]:  # fmt: skip
    answer = span_of(one.answer)
    wide = answer[1] - answer[0]
    starts = {a // SECOND_US * SECOND_US for a in one.preferred}
    for preferred in (starts, set()):
        order = sorted(free, key=lambda s: (s[0] not in preferred, abs(s[0] - answer[0])))
        on_grid = [s for s in order if s[0] in preferred or (s[0] - answer[0]) % wide == 0]
        before = _apart([s for s in on_grid if s[1] <= answer[0]])
        after = _apart([s for s in on_grid if s[0] >= answer[1]])
        for place in places:
            found = [*before[:place], *after[: one.wanted - place]]
            if len(before) >= place and len(found) == one.wanted and one.room.holds(
                [answer, *found]
            ):  # fmt: skip
                return [_stretch(a, b) for a, b in found]
    return []


def _apart(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those that meet none before them."""
    out: list[tuple[int, int]] = []
    for one in spans:
        if not any(one[0] < b and one[1] > a for a, b in out):
            out.append(one)
    return out

"""Facts: whatever is labelled of a video, in one shape: a label that holds for a while.

A *channel* holds all facts of one kind (phase, instrument, finding …).  Spans are facts as
they are; labels of single instants become runs of neighbouring instants.  A channel also
says where it was looked at, so that absence is told from silence.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ontology.moments import Moment
from ontology.records import InstrumentTable, Pointer, Span, Video, VideoLabel
from transforms.timeline.timeline import Timeline

EXCLUSIVE = ("phase", "step", "gesture")
"""Kinds of which at most one label holds at a time."""

GAP_PERIODS = 1.5
"""Instants further apart than so many label periods are not neighbours."""

Stretch = tuple[int, int]
"""[first, last] microsecond, both included."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A label that holds from ``start_us`` to ``last_us``.

    Attributes:
        label: concept id; of triplets instrument, verb and target with commas between.
        last_us: last time at which it is known to hold: a span's end, a run's last instant.
        table: table of ``evidence/`` with its rows.
        marks: (time, row id) of each instant, or of the span's start.
        place: where its source says so.
        subject: whose it is, '' for the scene.
        value: a score, where the label has one.
    """

    label: str
    start_us: int
    last_us: int
    table: str
    marks: tuple[tuple[int, str], ...]
    place: str
    subject: str = ""
    value: float | None = None
    rater: str = ""

    def pointers(self, until_us: int) -> tuple[Pointer, ...]:
        """Its evidence up to a time: the span, or the run's first and last row."""
        if self.table == "segments":
            end = min(self.last_us, until_us)
            return (Pointer(self.table, self.marks[0][1], self.start_us, end),)
        seen = [mark for mark in self.marks if mark[0] <= until_us]
        ends = dict.fromkeys((seen[0], seen[-1])) if seen else {}
        return tuple(Pointer(self.table, name, time, time) for time, name in ends)


@dataclass(frozen=True)
class Channel:
    """All facts of one kind.

    Attributes:
        facts: by (start, last, label, subject).
        known: stretches in which the kind was looked at, ascending and apart.
        looked_for: labels that are known to be absent where no fact says otherwise; None
            where that is every label of the kind.
        instants_us: annotated instants, None for a kind labelled by spans.
        period_us: distance of two labels.
    """

    kind: str
    facts: tuple[Fact, ...]
    known: tuple[Stretch, ...]
    looked_for: tuple[str, ...] | None
    instants_us: tuple[int, ...] | None
    period_us: int

    @cached_property
    def _longest(self) -> int:
        return max((fact.last_us - fact.start_us for fact in self.facts), default=0)

    @cached_property
    def _starts(self) -> list[int]:
        return [fact.start_us for fact in self.facts]

    def meeting(self, first_us: int, last_us: int) -> list[Fact]:
        """Facts that share a moment with [first, last], in order."""
        low = bisect_left(self._starts, first_us - self._longest)
        high = bisect_right(self._starts, last_us)
        return [fact for fact in self.facts[low:high] if fact.last_us >= first_us]

    def starting(self, after_us: int, until_us: int) -> list[Fact]:
        """Facts that start in (after, until], in order."""
        low, high = (bisect_right(self._starts, time) for time in (after_us, until_us))
        return list(self.facts[low:high])

    def is_known(self, first_us: int, last_us: int) -> bool:
        """Whether the kind was looked at all the way from ``first_us`` to ``last_us``."""
        place = bisect_right(self.known, (first_us, 2**62)) - 1
        return place >= 0 and self.known[place][1] >= last_us

    def knows(self, label: str) -> bool:
        """Whether the absence of a label means that it is not there."""
        return self.looked_for is None or label in self.looked_for


@dataclass(frozen=True)
class FactBook:
    """All channels of a video by name, what is said of it as a whole, and where things lie.

    Attributes:
        spans, moments: all labelled intervals, and all that happens, each with its row's id.
        timeline: the event tuples, None where there are none.
        memo: what finders made once for the video.
    """

    video: Video
    channels: Mapping[str, Channel]
    whole: tuple[VideoLabel, ...]
    regions: Mapping[str, InstrumentTable]
    spans: tuple[tuple[Span, str], ...] = ()
    moments: tuple[tuple[Moment, str], ...] = ()
    timeline: Timeline | None = None
    memo: dict[Any, Any] = field(default_factory=dict, compare=False)


def stretches(instants_us: Sequence[int], period_us: int) -> tuple[Stretch, ...]:
    """Maximal stretches of neighbouring instants, from the first to the last."""
    out: list[list[int]] = []
    for time in instants_us:
        if out and time - out[-1][1] <= GAP_PERIODS * period_us:
            out[-1][1] = time
        else:
            out.append([time, time])
    return tuple((first, last) for first, last in out)


def merged(spans: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """The union of stretches; such that touch are one."""
    out: list[list[int]] = []
    for first, last in sorted(spans):
        if out and first <= out[-1][1]:
            out[-1][1] = max(out[-1][1], last)
        else:
            out.append([first, last])
    return tuple((first, last) for first, last in out)

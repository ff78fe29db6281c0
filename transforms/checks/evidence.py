"""One video's evidence as plain Python objects.

Three states differ: an instant in ``instants`` without an event shows no instrument; an instant
that is not listed is unknown; ``pairs`` is None if nobody annotated what the instrument does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Box = tuple[float, float, float, float]
Pairs = tuple[tuple[str, str], ...]
IDLE: Pairs = (("null_verb", "null_target"),)


@dataclass(slots=True)
class Event:
    """One instrument at one instant: a row of ``evidence/events``.

    Attributes:
        time_us: microseconds from the video's start.
        box: (x1, y1, x2, y2) in [0, 1], or None if it has no box.
        pairs: sorted (verb, target) ids, or None if not annotated.
    """

    event_id: str
    time_us: int
    label: str
    track_id: str
    box: Box | None
    pairs: Pairs | None


class Span(NamedTuple):
    """A labelled interval: a row of ``evidence/segments`` that has a label.

    A missing ``subject`` or ``rater`` is ``""``, a missing ``value`` is None.
    """

    id: str
    kind: str
    label: str
    start_us: int
    end_us: int
    value: float | None
    rater: str
    subject: str


class Region(NamedTuple):
    """A row of ``evidence/regions``; ``label`` is None if the instant shows no such region."""

    id: str
    kind: str
    time_us: int
    label: str | None
    box: Box | None


class Whole(NamedTuple):
    """A label of a whole video: a row of ``evidence/labels``."""

    id: str
    kind: str
    label: str
    value: float | None
    rater: str


class Moment(NamedTuple):
    """An event at a time or with a start and an end: a row of ``evidence/moments``.

    A missing id or text is ``""``; a missing ``box`` or ``value`` is None.
    """

    id: str
    kind: str
    label: str
    start_us: int
    end_us: int
    resolution_us: int
    tool: str
    verb: str
    target: str
    box: Box | None
    group: str
    value: float | None


@dataclass(slots=True)
class VideoView:
    """All evidence of one video.

    Attributes:
        instants: distinct annotated times, ascending, including those without instruments.
        events: sorted by time, in the table's order within an instant.
        tracks: track id -> (label, first_us, last_us, samples, linked_by).
        segments: segment id -> (kind, label, start_us, end_us).
        header: the row of ``evidence/videos``.
        spans: the segments that have a label, in the table's order.
        regions: lesions, landmarks and structures, sorted by kind and time.
        labels: labels of the whole video.
        moments: in the table's order: by kind, start, end.
        times: table -> row id -> the row's start and end in microseconds.
    """

    key: str
    period_us: int
    duration_us: int
    vocabulary: frozenset[str]
    header: Mapping[str, Any]
    instants: list[int]
    events: list[Event]
    tracks: dict[str, tuple[str, int, int, int, str]]
    segments: dict[str, tuple[str, str, int, int]]
    spans: list[Span] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    labels: list[Whole] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    times: Mapping[str, Mapping[str, tuple[int, int]]] = field(default_factory=dict)

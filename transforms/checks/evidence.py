"""One video's evidence as plain Python.

Three states stay apart: an instant in ``instants`` with no event shows no instrument;
an instant that is not listed is unknown; ``pairs`` is None where nobody annotated what
the instrument does.
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
        time_us: from the video's start.
        box: (x1, y1, x2, y2) in [0, 1], or None where it has no box.
        pairs: sorted (verb, target) ids, or None where not annotated.
    """

    event_id: str
    time_us: int
    label: str
    track_id: str
    box: Box | None
    pairs: Pairs | None


class Span(NamedTuple):
    """A labelled interval: a row of ``evidence/segments`` that has a label.

    ``subject`` and ``rater`` are ``""``, and ``value`` is None, where there is none.
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
    """A row of ``evidence/regions``; ``label`` is None where the instant shows nothing."""

    id: str
    kind: str
    time_us: int
    label: str | None
    box: Box | None


class Whole(NamedTuple):
    """What is said of a whole recording: a row of ``evidence/labels``."""

    id: str
    kind: str
    label: str
    value: float | None
    rater: str


class Moment(NamedTuple):
    """Something that happens: a row of ``evidence/moments``.

    Ids and texts are ``""``, ``box`` and ``value`` None, where there is none.
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
    """What ``evidence/`` knows of one video.

    Attributes:
        instants: distinct annotated times, ascending, those without instruments too.
        events: sorted by time, in the table's order within an instant.
        tracks: track id -> (label, first_us, last_us, samples, linked_by).
        segments: segment id -> (kind, label, start_us, end_us).
        header: the row of ``evidence/videos``.
        spans: the segments that have a label, in the table's order.
        regions: lesions, landmarks and structures, sorted by kind and time.
        labels: what is said of the whole recording.
        moments: in the table's order: by kind, start, end.
        times: table -> id of a row -> its first and last microsecond.
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

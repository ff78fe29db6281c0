"""One video's evidence as plain Python objects.

An instant in ``instants`` without an event shows no instrument. At an instant that is not listed,
it is unknown which instruments are in view. ``pairs`` is None if the instrument's actions were not
annotated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Box = tuple[float, float, float, float]
Pairs = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Event:
    """One instrument at one instant: a row of ``evidence/events``.

    Attributes:
        time_us: microseconds from the video's start.
        box: (x1, y1, x2, y2) in [0, 1], or None without a box.
        pairs: sorted (verb, target) ids, or None if not annotated.
    """

    event_id: str
    time_us: int
    label: str
    track_id: str
    box: Box | None
    pairs: Pairs | None


class MomentRow(NamedTuple):
    """An event at a time or with a start and an end: a row of ``evidence/moments``.

    A missing ``box`` is None.
    """

    id: str
    start_us: int
    end_us: int
    resolution_us: int
    box: Box | None


@dataclass(slots=True)
class VideoView:
    """All evidence of one video.

    Attributes:
        instants: distinct annotated times, ascending, including those without instruments.
        events: sorted by time, in the table's order within an instant.
        tracks: for each track id, (label, first_us, last_us, samples, linked_by).
        header: the row of ``evidence/videos``.
        moments: the moments, in the table's order: by kind, start, end.
        event_ids: number of different ids of the rows of ``evidence/events``.
    """

    key: str
    period_us: int
    duration_us: int
    vocabulary: frozenset[str]
    header: Mapping[str, Any]
    instants: list[int]
    events: list[Event]
    tracks: dict[str, tuple[str, int, int, int, str]]
    moments: list[MomentRow] = field(default_factory=list)
    event_ids: int = 0

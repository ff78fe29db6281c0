"""The evidence of one video as plain Python objects.

``instants`` are the annotated times. If no event is at such a time, no instrument is in view then.
At all other times it is unknown which instruments are in view.
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
        pairs: sorted (verb, target) ids of the instrument's actions, or None if they were not
            annotated.
    """

    event_id: str
    time_us: int
    label: str
    track_id: str
    box: Box | None
    pairs: Pairs | None


class MomentRow(NamedTuple):
    """An event at a time or with a start and an end: a row of ``evidence/moments``.

    ``box`` is None if it was not annotated.
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
        events: sorted by time; events of the same time are in the order of the table.
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

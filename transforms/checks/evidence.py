"""One video's evidence and one clip of its events, as plain Python.

Three states stay apart: an instant in ``instants`` with no event shows no instrument;
an instant that is not listed is unknown; ``pairs`` is None where nobody annotated what
the instrument does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
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


class Placed(NamedTuple):
    """A sample that is known to have a box."""

    time_us: int
    box: Box
    event: Event


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
        memory: what the rules derived once for this video.
    """

    key: str
    period_us: int
    duration_us: int
    vocabulary: frozenset[str]
    header: Mapping[str, Any]
    instants: list[int]
    events: list[Event]
    event_times: dict[str, int]
    tracks: dict[str, tuple[str, int, int, int, str]]
    segments: dict[str, tuple[str, str, int, int]]
    spans: list[Span] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    labels: list[Whole] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    memory: dict[str, Any] = field(default_factory=dict)
    _clips: dict[tuple[int, int], Clip] = field(default_factory=dict)

    @property
    def clock(self) -> str:
        """What its times mean: ``time``, ``order`` or ``whole``."""
        return self.header["clock"] or "time"

    @property
    def still(self) -> bool:
        """It is one picture, which has no time."""
        return self.header["media_kind"] == "image"

    def clip(self, start_us: int, end_us: int) -> Clip:
        """The view of ``[start_us, end_us)``; made once."""
        found = self._clips.get((start_us, end_us))
        if found is None:
            found = self._clips[start_us, end_us] = make_clip(self, start_us, end_us)
        return found


@dataclass(slots=True)
class Clip:
    """The part of a video a question may see, and nothing else.

    Attributes:
        instants: annotated times in [start_us, end_us), ascending.
        at: time -> events there (empty list where nothing is visible).
        samples: track id -> its events, ascending in time.
        memory: what the rules derived once for this clip (blocks, numbers).
    """

    start_us: int
    end_us: int
    period_us: int
    vocabulary: frozenset[str]
    instants: list[int]
    at: dict[int, list[Event]]
    samples: dict[str, list[Event]]
    memory: dict[tuple, object] = field(default_factory=dict)

    def between(self, first_us: int, last_us: int) -> list[int]:
        """Annotated instants from first to last, both inclusive."""
        low = bisect_left(self.instants, first_us)
        return self.instants[low : bisect_left(self.instants, last_us + 1)]

    def of_track(self, track_id: str, first_us: int, last_us: int) -> list[Event]:
        """A track's samples from first to last, both inclusive."""
        return [e for e in self.samples.get(track_id, ()) if first_us <= e.time_us <= last_us]

    def of_class(self, label: str) -> list[Event]:
        """All events of a class in the clip, ascending in time."""
        return [e for time in self.instants for e in self.at[time] if e.label == label]


def make_clip(video: VideoView, start_us: int, end_us: int) -> Clip:
    """Cut ``[start_us, end_us)`` out of a video's events."""
    low, high = bisect_left(video.instants, start_us), bisect_left(video.instants, end_us)
    instants = video.instants[low:high]
    at: dict[int, list[Event]] = {time: [] for time in instants}
    samples: dict[str, list[Event]] = {}
    first = bisect_left(video.events, start_us, key=_time)
    last = bisect_left(video.events, end_us, key=_time)
    for event in video.events[first:last]:
        at[event.time_us].append(event)
        samples.setdefault(event.track_id, []).append(event)
    return Clip(start_us, end_us, video.period_us, video.vocabulary, instants, at, samples)


def classes_of(events: Iterable[Event]) -> list[str]:
    """Different instrument classes, sorted."""
    return sorted({event.label for event in events})


def _time(event: Event) -> int:
    return event.time_us

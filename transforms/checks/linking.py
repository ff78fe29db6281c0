"""Links a video's events to tracks a second time, with plain loops, and compares the tracks.

Rule (``docs/linking.md``): if the source has no track ids, the events of each class are linked
separately. P is the time between two labels. An event joins the nearest track whose last event is
at most max(1.0 s, 1.5 P) old, if the centres of both boxes are no farther apart than 0.6 frame
widths per second plus 0.05. An event without a box joins an event without a box if its class occurs
exactly once at this instant and exactly once at the previous instant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt
from operator import itemgetter
from pathlib import Path

from surgqa.transforms.checks.proof.evidence import in_bounds
from surgqa.transforms.checks.tables import sources_at
from surgqa.transforms.store.folder import OutputFolder

OPEN_US = 1_000_000
SPEED = 0.6
JITTER = 0.05
_NO_BOX = (2.0, 2.0, 2.0, 2.0)
AT_ONCE = 10_000
"""Number of events that are read from the database at once."""

Box = tuple[float, float, float, float]

_EVENTS = """
select e.dataset || '/' || e.video_id, e.label, v.period_us, e.event_id, e.time_us, e.track_id,
  if(e.x1 is null, null, [e.x1, e.y1, e.x2, e.y2]),
  coalesce(starts_with(t.linked_by, 'source'), false)
from {events} e join {videos} v using (dataset, video_id)
  left join {tracks} t using (dataset, video_id, track_id)
where e.label is not null
order by e.dataset, e.video_id, e.label, e.time_us, length(e.event_id), e.event_id
"""


@dataclass(slots=True)
class Event:
    """One instrument at one instant: a row of ``evidence/events``.

    Attributes:
        time_us: microseconds from the video's start.
        box: (x1, y1, x2, y2) in [0, 1], or None without a box.
        given: True if the source states the track.
    """

    event_id: str
    time_us: int
    track_id: str
    box: Box | None
    given: bool = False


@dataclass(slots=True)
class OpenTrack:
    """A track under construction: its number within the class, its last event and all event ids."""

    number: int
    last: Event
    event_ids: list[str]


def link_problems(folder: OutputFolder, scratch: Path) -> Iterator[str]:
    """Link all events again; yield a message for each class of a video whose tracks differ.

    Args:
        scratch: an existing folder for data that does not fit into memory.
    """
    at = sources_at(folder, scratch, ("events", "videos", "tracks"))
    with in_bounds(scratch) as con:
        con.execute(_EVENTS.format(**at))
        rows = (row for some in iter(lambda: con.fetchmany(AT_ONCE), []) for row in some)
        for (video, label, period_us), mine in groupby(rows, itemgetter(0, 1, 2)):
            events = [Event(name, time_us, track or "", box and tuple(box), given)
                      for *_, name, time_us, track, box, given in mine]  # fmt: skip
            if said := difference(events, period_us):
                yield f"{video} {label}: {said}"


def difference(events: Sequence[Event], period_us: int) -> str | None:
    """Return how the tracks of a class in a video differ when linked again; None if they do not.

    Tracks that come from the source are annotations, so such a class is not linked.
    """
    if any(event.given for event in events):
        return None
    stored: dict[str, list[str]] = {}
    for event in events:
        stored.setdefault(event.track_id, []).append(event.event_id)
    again = {tuple(sorted(track.event_ids)) for track in link(events, period_us)}
    kept = {tuple(sorted(ids)) for ids in stored.values()}
    if again == kept:
        return None
    example = min((kept - again) or (again - kept))
    return (
        f"{len(kept)} stored tracks, {len(again)} when linked again; first difference at event "
        f"{example[0]}"
    )


def link(events: Sequence[Event], period_us: int) -> list[OpenTrack]:
    """Link the events of one class and return the tracks.

    Args:
        events: events of one class and video, in ascending time.
        period_us: time between two labels (P) in microseconds.
    """
    tracks: list[OpenTrack] = []
    alive: list[OpenTrack] = []
    before: list[Event] = []
    limit_us = max(OPEN_US, 1.5 * period_us)
    for time_us, group in groupby(events, lambda event: event.time_us):
        now = list(group)
        alive = [t for t in alive if time_us - t.last.time_us <= limit_us]
        free = sorted(now, key=lambda event: event.box or _NO_BOX)
        for track, event in _matches(alive, before, free, period_us):
            track.last = event
            track.event_ids.append(event.event_id)
            free.remove(event)
        for event in free:
            tracks.append(OpenTrack(len(tracks), event, [event.event_id]))
            alive.append(tracks[-1])
        before = now
    return tracks


def _matches(
    alive: list[OpenTrack], before: list[Event], free: list[Event], period_us: int
) -> list[tuple[OpenTrack, Event]]:
    """Return pairs of a track and the event that joins it, chosen in order of their distance.

    No track and no event is in more than one pair.
    """
    offers: list[tuple[float, int, tuple[float, ...], OpenTrack, Event]] = []
    alone = len(free) == 1 and len(before) == 1
    for track in alive:
        for event in free:
            step_us = event.time_us - track.last.time_us
            if track.last.box is None or event.box is None:
                boxless = track.last.box is None and event.box is None
                near = boxless and 2 * step_us <= 3 * period_us
                if alone and near and track.last is before[0]:
                    offers.append((0.0, track.number, _NO_BOX, track, event))
                continue
            away = distance(centre(track.last.box), centre(event.box))
            if away <= SPEED * (step_us / 1e6) + JITTER:
                offers.append((away, track.number, event.box, track, event))
    offers.sort(key=lambda offer: offer[:3])
    taken: list[tuple[OpenTrack, Event]] = []
    for _, _, _, track, event in offers:
        if all(track is not t and event is not e for t, e in taken):
            taken.append((track, event))
    return taken


def centre(box: Box) -> tuple[float, float]:
    """Return the centre of a box."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def distance(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return the Euclidean distance of two points."""
    dx, dy = a[0] - b[0], a[1] - b[1]
    return sqrt(dx * dx + dy * dy)

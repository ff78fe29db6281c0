"""Links a video's events to tracks a second time, with plain loops, and compares the tracks.

Rule (``docs/linking.md``): if the source has no track ids, the events of each class are linked
separately. P is the time between two labels. An event joins the nearest track whose last event is
at most max(1.0 s, 1.5 P) old, if the centres of both boxes are no farther apart than 0.6 frame
widths per second plus 0.05. An event without a box joins an event without a box if its class occurs
exactly once at this instant and exactly once at the previous instant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

from surgqa.transforms.checks.evidence import Box, Event, VideoView

OPEN_US = 1_000_000
SPEED = 0.6
JITTER = 0.05
_NO_BOX = (2.0, 2.0, 2.0, 2.0)


@dataclass(slots=True)
class OpenTrack:
    """A track under construction: its number within the class, its last event and all event ids."""

    number: int
    last: Event
    event_ids: list[str]


def link_problems(video: VideoView) -> Iterator[str]:
    """Link a video's events again; yield a message for each class whose tracks differ.

    Classes whose tracks come from the source are skipped, because these tracks are annotations.
    """
    for label in sorted({event.label for event in video.events}):
        events = [event for event in video.events if event.label == label]
        stored: dict[str, list[str]] = {}
        for event in events:
            stored.setdefault(event.track_id, []).append(event.event_id)
        if any(_from_source(video, track_id) for track_id in stored):
            continue
        again = {tuple(sorted(track.event_ids)) for track in link(events, video.period_us)}
        kept = {tuple(sorted(ids)) for ids in stored.values()}
        if again != kept:
            example = min((kept - again) or (again - kept))
            yield (
                f"{video.key} {label}: {len(kept)} stored tracks, {len(again)} when linked "
                f"again; first difference at event {example[0]}"
            )


def _from_source(video: VideoView, track_id: str) -> bool:
    return track_id in video.tracks and video.tracks[track_id][4].startswith("source")


def link(events: list[Event], period_us: int) -> list[OpenTrack]:
    """Link the events of one class and return the tracks.

    Args:
        events: events of one class and video, in ascending time.
        period_us: time between two labels (P) in microseconds.
    """
    tracks: list[OpenTrack] = []
    alive: list[OpenTrack] = []
    before: list[Event] = []
    limit_us = max(OPEN_US, 1.5 * period_us)
    for now in _instants(events):
        alive = [t for t in alive if now[0].time_us - t.last.time_us <= limit_us]
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


def _instants(events: list[Event]) -> Iterator[list[Event]]:
    group: list[Event] = []
    for event in events:
        if group and event.time_us != group[0].time_us:
            yield group
            group = []
        group.append(event)
    if group:
        yield group


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

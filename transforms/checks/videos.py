"""Checks that a video's events and moments are valid, and that its tracks agree with its events."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from surgqa.transforms.checks.evidence import Box, Event, VideoView

Problem = tuple[str, str]


def video_problems(video: VideoView, sources: set[tuple[str, str]]) -> Iterator[Problem]:
    """Yield (code, detail) for every error in a video's tables.

    Args:
        sources: path and SHA-256 digest of each label file that the video's events name.
    """
    yield from _event_problems(video)
    yield from _track_problems(video)
    yield from _moment_problems(video)
    known = {(one["path"], one["sha256"]) for one in video.header["sources"] or ()}
    for path, digest in sorted(sources - known):
        yield "source_unlisted", f"{video.key}: {path} {digest}"


def sources_of(events: pa.Table | None) -> set[tuple[str, str]]:
    """Return path and SHA-256 digest of each label file that a video's events name."""
    if events is None:
        return set()
    found = events.group_by(["source_path", "source_sha256"]).aggregate([])
    paths, digests = (found.column(n).to_pylist() for n in ("source_path", "source_sha256"))
    return set(zip(paths, digests, strict=True))


def _event_problems(video: VideoView) -> Iterator[Problem]:
    for event in video.events:
        wrong = _impossible(event, video)
        if wrong:
            yield "event_malformed", f"{video.key} event {event.event_id}: {wrong}"
    if video.event_ids != len(video.events) + _empty(video):
        yield "event_malformed", f"{video.key}: event ids repeat"


def _empty(video: VideoView) -> int:
    """Return the number of annotated times without an instrument; each has one row of its own."""
    return len(video.instants) - len({event.time_us for event in video.events})


def _impossible(event: Event, video: VideoView) -> str | None:
    if event.label not in video.vocabulary:
        return f"class {event.label!r} is not in the video's vocabulary"
    if not 0 <= event.time_us < video.duration_us:
        return f"time {event.time_us} is outside the video"
    if not event.track_id:
        return "no track"
    if event.pairs is not None and (not event.pairs or list(event.pairs) != sorted(event.pairs)):
        return f"pairs {event.pairs} are empty or not sorted"
    return _outside(event.box)


def _outside(box: Box | None) -> str | None:
    if box is None or (0 <= box[0] < box[2] <= 1 and 0 <= box[1] < box[3] <= 1):
        return None
    return f"box {list(box)} is not inside the frame"


def _moment_problems(video: VideoView) -> Iterator[Problem]:
    seen: set[str] = set()
    for one in video.moments:
        shown = f"{video.key} moment {one.id}"
        if one.id in seen:
            yield "moment_malformed", f"{shown}: its id repeats"
        seen.add(one.id)
        if not 0 <= one.start_us <= one.end_us <= video.duration_us or one.resolution_us < 0:
            times = [one.start_us, one.end_us, one.resolution_us]
            yield "moment_malformed", f"{shown}: times {times} in {video.duration_us} us"
        if wrong := _outside(one.box):
            yield "moment_malformed", f"{shown}: {wrong}"


def _track_problems(video: VideoView) -> Iterator[Problem]:
    found: dict[str, list[Event]] = {}
    for event in video.events:
        found.setdefault(event.track_id, []).append(event)
    for track_id in sorted(set(found) | set(video.tracks), key=str):
        samples = found.get(track_id, [])
        times = [sample.time_us for sample in samples]
        if len(set(times)) != len(times):
            yield "track_differs", f"{video.key} track {track_id}: two samples at one instant"
        real = (samples[0].label, times[0], times[-1], len(times)) if samples else None
        kept = video.tracks[track_id][:4] if track_id in video.tracks else None
        if real != kept or len({sample.label for sample in samples}) > 1:
            yield "track_differs", f"{video.key} track {track_id}: kept {kept}, events say {real}"

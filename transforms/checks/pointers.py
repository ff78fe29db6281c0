"""Do an item's pointers name rows that exist, inside what the item may see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transforms.checks.evidence import VideoView

Problem = tuple[str, str]


def pointer_problems(row: Mapping[str, Any], video: VideoView) -> Iterator[Problem]:
    """Everything wrong with a row's ``evidence`` and its window.

    Args:
        row: ``window_id``, ``start_us``, ``end_us`` and ``evidence`` (list of dict).
        video: the row's video.
    """
    if not row["evidence"]:
        yield "pointer_none", "no evidence pointer"
    for pointer in row["evidence"] or ():
        yield from _one(pointer, row, video)


def window_problems(row: Mapping[str, Any], video: VideoView) -> Iterator[Problem]:
    """The window must be a kept segment with the same borders."""
    kept = video.segments.get(row["window_id"])
    if kept is None:
        yield "window_differs", f"window {row['window_id']} is not in evidence/segments"
    elif kept[2:] != (row["start_us"], row["end_us"]):
        yield "window_differs", f"kept {list(kept[2:])}, item {[row['start_us'], row['end_us']]}"


def _one(pointer: Mapping[str, Any], row: Mapping[str, Any], video: VideoView) -> Iterator[Problem]:
    kind, name, start, end = (pointer[key] for key in ("kind", "id", "start_us", "end_us"))
    span = _known_span(kind, name, row, video)
    shown = f"{kind} {name} [{start}, {end}]"
    if span is None:
        yield "pointer_missing", shown
    elif not (row["start_us"] <= start <= end <= row["end_us"]):
        yield "pointer_outside", f"{shown} leaves the window"
    elif not _fits(kind, span, start, end):
        yield "pointer_outside", f"{shown} is not within the row's own time {list(span)}"


def _known_span(
    kind: str, name: str, row: Mapping[str, Any], video: VideoView
) -> tuple[int, int] | None:
    """First and last microsecond of the row a pointer names, or None."""
    if kind == "events" and name in video.event_times:
        return video.event_times[name], video.event_times[name]
    if kind == "tracks" and name in video.tracks:
        return video.tracks[name][1:3]
    if kind == "window" and name == row["window_id"]:
        return row["start_us"], row["end_us"]
    if kind == "segments" and name in video.segments:
        return video.segments[name][2:]
    return None


def _fits(kind: str, span: tuple[int, int], start: int, end: int) -> bool:
    if kind == "events":
        return start <= span[0] <= end
    # a track's pointer may reach beyond its samples: that it is absent there is evidence too
    overlaps = start <= span[1] and span[0] <= end
    return overlaps if kind == "tracks" else span[0] <= start and end <= span[1]

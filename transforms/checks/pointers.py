"""Do an item's pointers name rows of the evidence, at times that are theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transforms.checks.evidence import VideoView

Problem = tuple[str, str]


def pointer_problems(row: Mapping[str, Any], video: VideoView) -> Iterator[Problem]:
    """Everything wrong with a row's ``evidence``.

    Args:
        row: ``window_id``, ``start_us``, ``end_us`` and ``evidence`` (list of dict).
        video: the row's video.
    """
    if not row["evidence"]:
        yield "pointer_none", "no evidence pointer"
    for pointer in row["evidence"] or ():
        kind, name, start, end = (pointer[key] for key in ("kind", "id", "start_us", "end_us"))
        shown = f"{kind} {name} [{start}, {end}]"
        if kind == "window" and name == row["window_id"]:
            span = row["start_us"], row["end_us"]
        elif name in video.times.get(kind, {}):
            span = video.times[kind][name]
        else:
            yield "pointer_missing", shown
            continue
        if not span[0] <= start <= end <= span[1]:
            yield "pointer_outside", f"{shown} is not within the row's own time {list(span)}"

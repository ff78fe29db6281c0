"""Checks that an item's evidence pointers name existing rows and give those rows' times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from surgqa.transforms.checks.evidence import VideoView

Problem = tuple[str, str]


def pointer_problems(row: Mapping[str, Any], video: VideoView) -> Iterator[Problem]:
    """Yield a finding for each wrong pointer in a row's ``evidence``.

    A pointer states the start of its row, or start and end. A pointer to a window states both.
    """
    if not row["evidence"]:
        yield "pointer_none", "no evidence pointer"
    for pointer in row["evidence"] or ():
        kind, name, start, end = (pointer[key] for key in ("kind", "id", "start_us", "end_us"))
        shown = f"{kind} {name} [{start}, {end}]"
        if kind == "window" and name == row["window_id"]:
            span = row["start_us"], row["end_us"]
            fine = (start, end) == span
        elif name in video.times.get(kind, {}):
            span = video.times[kind][name]
            fine = start == span[0] and end in span
        else:
            yield "pointer_missing", shown
            continue
        if not fine:
            yield "pointer_outside", f"{shown} is neither the start nor the whole of {list(span)}"

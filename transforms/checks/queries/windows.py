"""The window of a timed question follows from its query time; pointers keep inside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ontology.keys import digest
from transforms.checks.evidence import VideoView
from transforms.checks.queries.base import SECOND_US, measured
from transforms.checks.queries.units import unit_of

Problem = tuple[str, str]
Row = Mapping[str, Any]
_AT_MOST = re.compile(r"<= *([0-9.]+)\Z")
PAST = ("retrospective", "present")
TASK_MODES: Mapping[str, tuple[str, ...]] = {
    "retrospective": ("single_turn",),
    "present": ("single_turn",),
    "future": ("single_turn", "streaming"),
    "proactive": ("streaming",),
}


def mode_problems(row: Row) -> Iterator[Problem]:
    """The task's first part is the temporal mode, and the other columns fit it."""
    mode, turns = row["temporal_mode"], row["task_mode"]
    if row["task"].partition("/")[0] != mode or turns not in TASK_MODES.get(mode, ()):
        yield "mode_differs", f"task {row['task']}: {mode}, {turns}"
    if bool(row["rounds"]) != (turns == "streaming"):
        yield "mode_differs", f"{turns} with {len(row['rounds'] or ())} rounds"
    if mode == "proactive" and row["options"]:
        yield "mode_differs", "an alert is not chosen from options"


def query_window_problems(
    row: Row, slots: Mapping[str, Any] | None, video: VideoView
) -> Iterator[Problem]:
    """``[max(0, t_q - w), t_q]``, or ``[t_q, last round]``.

    Without length is that of a still, and of a unit's picture: the limit of its length is 0.
    """
    start, end, query = row["start_us"], row["end_us"], row["query_us"]
    expected = _expected(row, video)
    if expected is None:
        yield "query_window_differs", "'window_s' is missing, has no limit or is not its length"
        return
    if (start, end) != expected:
        yield "query_window_differs", f"expected {list(expected)}, found {[start, end]}"
    if not 0 <= query <= end <= video.duration_us:
        yield (
            "query_window_differs",
            f"query {query}, end {end}, recording of {video.duration_us} us",
        )
    one_picture = unit_of(row, slots) is not None and _longest(row) == 0
    if start == end and not video.still and video.clock != "whole" and not one_picture:
        yield "query_window_differs", "a window without length, and no still"
    kind = "stream" if row["rounds"] else "query"
    if row["window_id"] != digest(kind, video.key, start, end):
        yield "query_window_differs", f"window_id {row['window_id']} is not that of its times"


def _expected(row: Row, video: VideoView) -> tuple[int, int] | None:
    """Start and end by the formula, None where the row does not tell the length."""
    query, length = row["query_us"], measured(row, "window_s")
    if length is None or round(length * SECOND_US) != row["end_us"] - row["start_us"]:
        return None
    if row["rounds"]:
        return query, row["rounds"][-1]["current_us"]
    if is_whole(row):
        return 0, 0 if video.still else video.duration_us
    return max(0, query - (_longest(row) or 0)), query


def is_whole(row: Row) -> bool:
    """The item is about a recording as a whole: it looks back without a limit."""
    return not row["rounds"] and _longest(row) is None


def _longest(row: Row) -> int | None:
    """How far back the question may look: the limit of ``window_s``."""
    for one in row["checks"]:
        found = _AT_MOST.match(one["limit"])
        if one["name"] == "window_s" and found:
            return round(float(found[1]) * SECOND_US)
    return None


def pointer_limit(row: Row) -> int:
    """The last time at which an item's proof may lie.

    Answers about what is or was rest on what came by the query time; those about what
    comes, on the look-ahead or the last round.
    """
    if row["rounds"]:
        return row["rounds"][-1]["current_us"]
    ahead = 0.0 if row["temporal_mode"] in PAST else measured(row, "look_ahead_s") or 0.0
    return row["query_us"] + round(ahead * SECOND_US)


def query_pointer_problems(row: Row, video: VideoView) -> Iterator[Problem]:
    """Every pointer names a row, within that row's time and before the item's limit."""
    if not row["evidence"]:
        yield "pointer_none", "no evidence pointer"
    limit = pointer_limit(row)
    for pointer in row["evidence"] or ():
        kind, name, start, end = (pointer[key] for key in ("kind", "id", "start_us", "end_us"))
        shown = f"{kind} {name} [{start}, {end}]"
        span = _span(kind, name, video)
        if span is None:
            yield "pointer_missing", shown
        elif not (span[0] <= start <= end <= span[1]):
            yield "pointer_outside", f"{shown} is not within the row's own time {list(span)}"
        elif end > limit:
            past = row["temporal_mode"] in PAST
            code = "future_shown" if past else "pointer_outside"
            yield code, f"{shown} lies after {limit}"


def _span(kind: str, name: str, video: VideoView) -> tuple[int, int] | None:
    """First and last microsecond of the row a pointer names, or None."""
    if kind == "events" and name in video.event_times:
        return video.event_times[name], video.event_times[name]
    if kind == "tracks" and name in video.tracks:
        return video.tracks[name][1:3]
    if kind == "segments" and name in video.segments:
        return video.segments[name][2:]
    if kind == "regions" and name in _times_of_regions(video):
        time = _times_of_regions(video)[name]
        return time, time
    if kind == "moments":
        return next(((one.start_us, one.end_us) for one in video.moments if one.id == name), None)
    whole = kind == "labels" and name in {one.id for one in video.labels}
    if whole or (kind == "videos" and name == video.key):
        return 0, video.duration_us
    return None


def _times_of_regions(video: VideoView) -> dict[str, int]:
    if "region times" not in video.memory:
        video.memory["region times"] = {one.id: one.time_us for one in video.regions}
    return video.memory["region times"]

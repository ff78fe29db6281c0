"""One question of a chain by itself: its stage, texts, options, window and pointers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ontology.keys import digest
from transforms.checks.chains.base import STAGES, TASKS, Row
from transforms.checks.evidence import VideoView
from transforms.checks.options import option_shape

Problem = tuple[str, str]
TEXTS = {"knowledge": (1, 2, 3), "clue": (1, 2, 3), "context": (2, 3)}
"""Column -> stages whose questions have it."""
OPTIONS = 4


def is_chain(row: Row) -> bool:
    """The item is a question of a chain."""
    return row["stage"] is not None


def chain_rule_name(row: Row) -> str | None:
    """The rule that recomputes a question: its task with the stage."""
    core, _, stage = row["task"].partition("/")
    return row["task"] if core in TASKS and stage in STAGES else None


def stage_problems(
    row: Row, value: Mapping[str, Any] | None, slots: Mapping[str, Any] | None, video: VideoView
) -> Iterator[Problem]:
    """What is wrong with one question, its chain and its answer left aside.

    Args:
        row: columns of :data:`transforms.checks.folder.COLUMNS`.
        value, slots: the parsed JSON columns, None where they are not JSON objects.
    """
    if value is None or slots is None:
        yield "slots_malformed", "answer_value or slots is not a JSON object"
    yield from _stage(row)
    yield from _options(row)
    yield from _window(row, video)
    yield from _pointers(row, video)


def _stage(row: Row) -> Iterator[Problem]:
    stage, form = row["stage"], row["form"]
    core, _, name = row["task"].partition("/")
    if core not in TASKS:
        yield "rule_missing", f"{row['benchmark']}: {row['task']}"
        return
    known = stage in range(len(STAGES)) and name == STAGES[stage]
    if row["chain_id"] is None or not known or form != "choice":
        yield "stage_differs", f"task {row['task']}, stage {stage}, form {form}"
        return
    for column, stages in TEXTS.items():
        if bool((row[column] or "").strip()) != (stage in stages):
            has = "no " if stage in stages else ""
            yield "stage_texts", f"{STAGES[stage]} has {has}{column}"


def _options(row: Row) -> Iterator[Problem]:
    options = row["options"] or []
    if len(options) != OPTIONS:
        yield "options_malformed", f"expected {OPTIONS} options, found {len(options)}"
        return
    yield from option_shape(row, options)


def _window(row: Row, video: VideoView) -> Iterator[Problem]:
    start, end = row["start_us"], row["end_us"]
    if row["window_id"] != digest("chain", video.key, start, end):
        yield "chain_window_differs", f"window_id {row['window_id']} is not that of its times"
    if not 0 <= start < end <= video.duration_us:
        yield "chain_window_differs", f"{[start, end]} in a recording of {video.duration_us} us"


def _pointers(row: Row, video: VideoView) -> Iterator[Problem]:
    if not row["evidence"]:
        yield "pointer_none", "no evidence pointer"
    for pointer in row["evidence"] or ():
        kind, name, start, end = (pointer[key] for key in ("kind", "id", "start_us", "end_us"))
        shown = f"{kind} {name} [{start}, {end}]"
        own = _times(video, kind).get(name)
        if own is None:
            yield "pointer_missing", shown
        elif not own[0] <= start <= end <= own[1]:
            yield "pointer_outside", f"{shown} is not within the row's own time {list(own)}"


def _times(video: VideoView, kind: str) -> Mapping[str, tuple[int, int]]:
    """First and last microsecond of every row of a table; made once."""
    name = f"times of {kind}"
    if name not in video.memory:
        video.memory[name] = _all_times(video, kind)
    return video.memory[name]


def _all_times(video: VideoView, kind: str) -> dict[str, tuple[int, int]]:
    if kind == "events":
        return {name: (time, time) for name, time in video.event_times.items()}
    if kind == "tracks":
        return {name: track[1:3] for name, track in video.tracks.items()}
    if kind == "segments":
        return {name: segment[2:] for name, segment in video.segments.items()}
    if kind == "regions":
        return {one.id: (one.time_us, one.time_us) for one in video.regions}
    if kind == "moments":
        return {one.id: (one.start_us, one.end_us) for one in video.moments}
    return {video.key: (0, video.duration_us)} if kind == "videos" else {}

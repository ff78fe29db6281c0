"""Checks the times and windows of a row. t_q is the query time, w the window's length.

An evidence text that cites times contains ``301.0-371.0 s``, ``from 301 to 371 s``, ``at 44.0 s``
or, if only the order of frames is known, ``frames 12 to 31``. A duration in the text is taken for a
time, so rules test only whether at least one of the times fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from surgqa.transforms.checks.medstream.sample import StreamRow, Times


@dataclass(frozen=True, slots=True)
class StreamFacts:
    """What is known about the videos and media of rows; all of it is optional.

    Attributes:
        durations: (dataset, video id as in the rows) -> end of the video, in the rows' time unit.
        is_there: function of a dataset and a path: whether the dataset has a file or folder with
            this path. None if this is unknown.
    """

    durations: Mapping[tuple[str, str], float] = field(default_factory=dict)
    is_there: Callable[[str, str], bool | None] | None = None

    def duration(self, sample: StreamRow) -> float | None:
        """Return the end of the row's video in the row's time unit, None if it is unknown."""
        return self.durations.get((sample.dataset, sample.video))


_NUMBER = r"\d+(?:\.\d+)?"
_UNIT = r"\s*(?:s|sec|secs|seconds?)\b"
_TO = rf"(?:{_UNIT})?\s*(?:-|–|—|to|until|and)\s*"
_SECONDS = re.compile(rf"(?<![\w.-])({_NUMBER})(?:{_TO}({_NUMBER}))?{_UNIT}")
_FRAMES = re.compile(
    rf"\b(?:frames?|pictures?|images?)\s+({_NUMBER})(?:\s*(?:-|–|—|to|until)\s*({_NUMBER}))?"
)

Span = tuple[float, float]


@lru_cache(maxsize=4096)
def cited(evidence: str, unit: str) -> tuple[Span, ...]:
    """Return (start, end) of each time in the text; both are equal for a single time.

    If the unit is "frame", frame numbers and seconds both count, with one frame per second.
    """
    patterns = (_FRAMES, _SECONDS) if unit == "frame" else (_SECONDS,)
    every = (m for pattern in patterns for m in pattern.finditer(evidence))
    found = ((float(m[1]), float(m[2] or m[1])) for m in every)
    return tuple((min(pair), max(pair)) for pair in found)


def cites_time(evidence: str) -> bool:
    """Return whether the text cites a time or a frame."""
    return bool(cited(evidence, "sec") or cited(evidence, "frame"))


EXACT = 1e-6
PRINTED = 1e-3
"""Tolerance when times are compared, because they are printed with three decimals."""

STEP = 2.0
"""Time between two frames that a model sees, in the row's unit (seconds or frames)."""

LONGEST = 120.0
"""Longest window of a question about a moment or a short time, in seconds or frames."""

PERIOD = 1.0
"""How far a time may be outside of the cited times for the label to count as present."""

_WHOLE = re.compile(
    r"\Avideo_|(^|_)(skill|osats|ratings?|experience|procedure|task_folder)(_|$)|whole_video"
)
_OURS = re.compile(r"\.(\d{9})\.[0-9a-f]{8}\Z")
_AFTER = re.compile(r"(?:phase|step|gesture|action|time|sec)_(\d+)(?=_|\Z)")
_BEFORE = re.compile(r"_(\d+)_(?:phase|step|gesture|action)(?=_|\Z)")
_NAMED = re.compile(r"\bat (\d+(?:\.\d+)?) ?(?:s|sec|seconds)\b", re.IGNORECASE)


def empty_window(sample: StreamRow) -> Iterator[str]:
    """D04: the window must not be empty, except the window of a still image, which is [0, 0]."""
    times = sample.times
    if times is None:
        yield "t_q, w or an end of the window is not a number"
    elif sample.unit == "image":
        if any(times):
            yield f"a still image has no times: {_printed(times)}"
    elif times.end <= times.start:
        yield _printed(times)


def _printed(times: Times) -> str:
    return f"[{times.start:g}, {times.end:g}], w {times.window:g}, t_q {times.query:g}"


def first_millisecond(sample: StreamRow) -> Iterator[str]:
    """D09: a window that the video's start makes shorter must begin at 0.

    A window whose length is a whole number counts as not made shorter.
    """
    times = sample.times
    if times is None or sample.streaming or times.end <= times.start:
        return
    cut = abs(times.window - round(times.window)) > EXACT
    if 0 < times.start <= PRINTED + EXACT and cut:
        yield f"starts at {times.start:g}"


def window_formula(sample: StreamRow, facts: StreamFacts) -> Iterator[str]:
    """D10: a window's stated length must be right, and the window must be within the video."""
    times, duration = sample.times, facts.duration(sample)
    if times is None:
        return
    before = times.start < 0 and not sample.streaming
    if before or abs(times.window - (times.end - times.start)) > EXACT:
        yield _printed(times)
    if duration is not None and not sample.streaming and times.end > duration + PRINTED:
        yield f"ends at {times.end:g}, the video at {duration:g}"


def past_the_query(sample: StreamRow) -> Iterator[str]:
    """D11: a window must not end after the time of its question or round."""
    times = sample.times
    if times is None:
        return
    if not sample.streaming:
        if abs(times.end - times.query) > EXACT:
            yield _printed(times)
        return
    for one in sample.rounds:
        if one.end is not None and one.time is not None and one.end > one.time + EXACT:
            yield f"round {one.index} at {one.time:g} sees up to {one.end:g}"
    last = sample.rounds[-1].time if sample.rounds else None
    if last is not None and times.end > last + EXACT:
        yield f"ends at {times.end:g}, the last round is at {last:g}"


def too_short(sample: StreamRow) -> Iterator[str]:
    """D22: the window must be long enough for two frames that a model sees."""
    times = sample.times
    if times and sample.unit != "image" and 0 < times.end - times.start < STEP - EXACT:
        yield f"{times.end - times.start:.3f}, but frames are {STEP:g} apart"


def too_long(sample: StreamRow) -> Iterator[str]:
    """D23: only questions about skill, procedure or the whole video may have long windows."""
    times = sample.times
    if times is None or sample.streaming or _WHOLE.search(sample.task.casefold()):
        return
    if times.end - times.start > LONGEST + EXACT:
        yield f"{times.end - times.start:.3f} for {sample.task!r}, at most {LONGEST:g}"


def other_time(sample: StreamRow) -> Iterator[str]:
    """D14: times in the id, the question and the evidence text must fit the query time."""
    if sample.query is None or sample.unit == "image":
        return
    id_time = _id_time(sample)
    if id_time is not None and abs(id_time - sample.query) > PRINTED:
        yield f"the id says {id_time:g}, t_q is {sample.query:g}"
    for found in _NAMED.finditer(sample.stem):
        if sample.mode in ("retrospective", "present") and float(found[1]) > sample.query + EXACT:
            yield f"the question names {found[1]} s, t_q is {sample.query:g}"
    spans = cited(sample.evidence, sample.unit)
    if sample.mode == "present" and spans and not any(_holds(a, b, sample.query) for a, b in spans):
        yield f"the evidence cites {_cited(spans)}, t_q is {sample.query:g}"


def other_mode_by_evidence(sample: StreamRow) -> Iterator[str]:
    """D13, by times: evidence of the past must be before the query time, of the future after it.

    A still image has neither past nor future, except in tasks about the whole procedure.
    """
    if sample.unit == "image" and sample.mode in ("retrospective", "future", "proactive"):
        if not _WHOLE.search(sample.task.casefold()):
            yield f"a still image has no {sample.mode} {sample.task!r}"
        return
    spans = cited(sample.evidence, sample.unit)
    if sample.query is None or not spans:
        return
    if sample.mode == "retrospective" and all(a > sample.query + EXACT for a, _ in spans):
        yield f"the evidence cites {_cited(spans)}, all after t_q {sample.query:g}"
    comes = sample.mode in ("future", "proactive") and (
        sample.event is not None if sample.streaming else sample.answer != "unanswerable"
    )
    if comes and all(b <= sample.query for _, b in spans):
        yield f"the evidence cites {_cited(spans)}, none after t_q {sample.query:g}"


def _holds(first: float, last: float, query: float) -> bool:
    return first - PERIOD <= query <= last + PERIOD


def _id_time(sample: StreamRow) -> float | None:
    """Return the time in a row's id, in the row's unit, or None.

    Ids of surgqa have milliseconds or frames; others are such as ``phase_3195`` or ``0_step``.
    """
    if found := _OURS.search(sample.id):
        return int(found[1]) / (1000 if sample.unit == "sec" else 1)
    found = _AFTER.search(sample.id) or _BEFORE.search(sample.id)
    return float(found[1]) if found else None


def _cited(spans: tuple[tuple[float, float], ...]) -> str:
    return ", ".join(f"{a:g}" if a == b else f"{a:g}-{b:g}" for a, b in spans[:4])

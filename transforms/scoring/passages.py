"""Functions that read answers with several values, such as trajectories and sequences.

As in :mod:`.parse`, they accept any string, return None without a value, and raise no errors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from surgqa.transforms.scoring import parse
from surgqa.transforms.scoring.lexicon import first_label
from surgqa.transforms.scoring.text import NUMBER, cut_at, number

# ---- windows ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Presence:
    """When and where an instrument is in view; a value that the text does not state is None."""

    instrument: parse.Instrument
    window_s: tuple[float, float] | None
    start_box: parse.Box | None
    end_box: parse.Box | None


def read_presences(text: str) -> tuple[Presence, ...] | None:
    """Read ``NAME: Window [a - b], Start BBox [..], End BBox [..]`` for each instrument.

    The text of an instrument reaches from its name to the next instrument's name. Text with neither
    times nor boxes is skipped. Return None if nothing is left.
    """
    names = parse.read_instruments(text)
    pieces = cut_at(text, [start for _, start in names])
    parts = [_presence(name, piece) for (name, _), piece in zip(names, pieces, strict=True)]
    kept = tuple(p for p in parts if p.window_s is not None or p.start_box is not None)
    return kept or None


def _presence(instrument: parse.Instrument, part: str) -> Presence:
    boxes = parse.read_boxes(part)
    return Presence(
        instrument,
        parse.read_window(part),
        boxes[0] if boxes else None,
        boxes[1] if len(boxes) > 1 else None,
    )


# ---- trajectories -------------------------------------------------------------------

_SIDE = re.compile(r"\b(?:(left)|(right)|(top|upper)|(bottom|lower))(?:most)?\b", re.IGNORECASE)
_SIDES = ("left", "right", "top", "bottom")

Extreme = tuple[str | None, parse.Box | None, float | None]
"""Side (None if the text names none), box, time in seconds."""


def read_extremes(text: str) -> tuple[Extreme, ...] | None:
    """Read ``Extreme Left: [box] at t=..; Extreme Right: ..``, or the same with Top and Bottom.

    If the text names no side, boxes and times are paired in reading order and have no side.
    """
    marks = [(_SIDES[(m.lastindex or 1) - 1], m.start()) for m in _SIDE.finditer(text)]
    if not marks:
        boxes, times = parse.read_boxes(text), parse.read_times(text)
        size = min(len(boxes), len(times))
        return tuple((None, boxes[i], times[i]) for i in range(size)) or None
    pieces = cut_at(text, [start for _, start in marks])
    read = [
        (side, parse.read_box(piece), _first_time(piece))
        for (side, _), piece in zip(marks, pieces, strict=True)
    ]
    kept = tuple(extreme for extreme in read if extreme[1] is not None or extreme[2] is not None)
    return kept or None


def _first_time(text: str) -> float | None:
    times = parse.read_times(text)
    return times[0] if times else None


# ---- sequences ----------------------------------------------------------------------

_ARROW = re.compile(r"[-=]+>|>{1,2}")
_STEP = re.compile(r"\n|;|\bthen\b|,", re.IGNORECASE)


def read_sequence(text: str) -> tuple[tuple[str, str], ...] | None:
    """Return (verb, target) of each step of ``(t) verb target -> ...``, in order.

    If there are no arrows, steps are separated by line ends, semicolons, commas and "then".
    """
    pieces = _ARROW.split(text)
    if len(pieces) == 1:
        pieces = _STEP.split(text)
    steps = [parse.read_pair(piece) for piece in pieces]
    return tuple(step for step in steps if step is not None) or None


# ---- durations and shares -----------------------------------------------------------

_BUCKET = re.compile(r"(?<![\w.])([0-9]{1,3})\s?%?\s?(?:-|to)\s?([0-9]{1,3})\s?%", re.IGNORECASE)
_PERCENT = re.compile(rf"(?<![\w.])({NUMBER})\s?(?:%|percent)", re.IGNORECASE)


def read_stretch(text: str) -> tuple[float, tuple[float, float] | None] | None:
    """Return (seconds, (start, end)) of ``8.00 s, from 3.00 s to 11.00 s``.

    If the text states only the interval, the seconds are the interval's length.
    """
    times = parse.read_times(text)
    if len(times) >= 3:
        return times[0], (min(times[1:3]), max(times[1:3]))
    if len(times) == 2:
        return max(times) - min(times), (min(times), max(times))
    return (times[0], None) if times else None


@dataclass(frozen=True, slots=True)
class Idle:
    """Idle time in seconds, a range of percentages such as '25-50', and the first percentage."""

    seconds: float | None
    bucket: str | None
    percent: float | None


def read_idle(text: str) -> Idle | None:
    """Read ``6.00 s idle: 30% of its visible time (25-50%) and 24% of the clip``."""
    bucket = _BUCKET.search(text)
    percent = _PERCENT.search(_BUCKET.sub(" ", text))
    times = parse.read_times(text)
    if not (bucket or percent or times):
        return None
    return Idle(
        times[0] if times else None,
        f"{int(bucket[1])}-{int(bucket[2])}" if bucket else None,
        number(percent[1]) if percent else None,
    )


# ---- relations ----------------------------------------------------------------------

_SIGNED = re.compile(rf"(?<![\w.])([-+])\s?({NUMBER})(?![\w.])")
_DECIMAL = re.compile(r"(?<![\w.])([0-9]*\.[0-9]++)(?!\s?(?:s\b|sec|%)|[\w.])", re.IGNORECASE)


def read_rel_change(text: str) -> tuple[str | None, float | None] | None:
    """Return ("closer", -0.35) for ``closer (-0.35)``; after "closer", 0.35 means -0.35."""
    word = parse.read_change(text)
    bare = parse.without_boxes(text)
    signed, plain = _SIGNED.search(bare), _DECIMAL.search(bare)
    if signed:
        size = number(signed[2])
        delta = -size if size is not None and signed[1] == "-" else size
    else:
        delta = number(plain[1]) if plain else None
        delta = -delta if delta is not None and word == "closer" else delta
    return (word, delta) if word is not None or delta is not None else None


def read_comparison(text: str) -> tuple[bool | None, tuple[str, ...]] | None:
    """Return (True, both targets) for ``Yes: gallbladder and gallbladder``.

    If only one target follows a "yes", it counts as the target of both instruments.
    """
    verdict, targets = parse.read_yes_no(text), tuple(parse.read_targets(text)[:2])
    if verdict and len(targets) == 1:
        targets = targets * 2
    return (verdict, targets) if verdict is not None or targets else None


# ---- motion -------------------------------------------------------------------------

_SPEEDS = {
    name: re.compile(rf"\b{word}[a-z]*(?: speed)?(?: of| is)?\s?[:=]?\s?({NUMBER})", re.IGNORECASE)
    for name, word in (("min", "min"), ("max", "max"), ("mean", "(?:mean|av(?:era)?g)"))
}
_SPEED_UNIT = re.compile(rf"(?<![\w.])({NUMBER})\s?(?:units?|u)?\s?(?:/|per)\s?s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Speeds:
    """Speeds in frame sides per second, and a word such as "moderate"; None if not stated."""

    min: float | None
    max: float | None
    mean: float | None
    word: str | None


def read_speeds(text: str) -> Speeds | None:
    """Read ``min 0.010, max 0.200, mean 0.083 units/s; moderate``.

    A single speed without a name is taken as the mean.
    """
    found = {
        name: number(match[1]) if (match := pattern.search(text)) else None
        for name, pattern in _SPEEDS.items()
    }
    word = first_label(text, "speeds")
    if not any(value is not None for value in found.values()):
        single = _SPEED_UNIT.search(text)
        found["mean"] = number(single[1]) if single else None
    if word is None and all(value is None for value in found.values()):
        return None
    return Speeds(found["min"], found["max"], found["mean"], word)


# ---- chain of thought ---------------------------------------------------------------

_PART = re.compile(
    r"\b(?:(initiali[sz]ation|initial)|(movement profile|movement|motion)|(consistency)|(summary)"
    r"|(conclusion))[^:\n]{0,40}:",
    re.IGNORECASE,
)
_PATH = re.compile(rf"\bpath(?: length)?(?: of| is)?\s?[:=]?\s?({NUMBER})", re.IGNORECASE)
_UNITS = re.compile(rf"(?<![\w.])({NUMBER}) ?units?(?!\s?(?:/|per))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReasoningValues:
    """Values in the four parts of an explanation of a trajectory; None for a missing value."""

    box: parse.Box | None
    seconds: float | None
    path: float | None
    speed_word: str | None
    verb: str | None


def read_trace(text: str) -> ReasoningValues | None:
    """Read the parts "Initialisation", "Movement profile", "Consistency" and "Summary".

    If the heading of a part is missing, its value is searched for in the whole text.
    """
    parts = _trace_parts(text)
    movement = parse.without_boxes(parts.get(2, text))
    path = _PATH.search(movement) or _UNITS.search(movement)
    trace = ReasoningValues(
        parse.read_box(parts.get(1, text)),
        _first_time(movement),
        number(path[1]) if path else None,
        first_label(movement, "speeds"),
        parse.read_verb(parts.get(3, text)),
    )
    stated = (trace.box, trace.seconds, trace.path, trace.speed_word, trace.verb)
    return trace if any(value is not None for value in stated) else None


def _trace_parts(text: str) -> dict[int, str]:
    marks = list(_PART.finditer(text))
    parts: dict[int, str] = {}
    for mark, piece in zip(marks, cut_at(text, [mark.end() for mark in marks]), strict=True):
        parts.setdefault(mark.lastindex or 0, piece)
    return parts

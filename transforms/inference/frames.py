"""Choose the instants of a window at which frames are shown, including instants that the question
names.

Everything that the question and its options name is public, so these instants are shown. Instants
that only the answer names must not stand out. So if the answers of a template contain times, every
item of the template is shown as finely as its labels are sampled. Questions that ask for the order
of frames show them shuffled, with letters. A row's slots contain more than a model may know; only
their times are read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import orjson

from surgqa.ontology.errors import OutputBroken, ValueInvalid
from surgqa.ontology.times import SECOND_US, print_seconds, round_half_up
from surgqa.ontology.units import answer_types
from surgqa.transforms.inference.prompts import PromptSections
from surgqa.transforms.store import OutputFolder


def frame_times(
    start_us: int, end_us: int, every_us: int, named_us: Iterable[int] = ()
) -> tuple[int, ...]:
    """Return start, start + every, ... and end: [0, 5] by 2 gives 0, 2, 4, 5.

    Args:
        every_us: above 0.
        named_us: additional instants; those between start and end are included.

    Returns:
        Strictly ascending times in microseconds, none after ``end_us``.

    Raises:
        ValueError: the window ends before it starts, or the step is not above 0.
    """
    if end_us < start_us or every_us <= 0:
        raise ValueError(f"no frames from {start_us} to {end_us} µs every {every_us} µs")
    wanted = {end_us, *(time for time in named_us if start_us <= time <= end_us)}
    return tuple(sorted(wanted.union(range(start_us, end_us + 1, every_us))))


def step_us(text: str) -> int:
    """Return microseconds of a step given in seconds, such as ``2`` or ``0.5``.

    Raises:
        UserError: not a number, or less than a microsecond.
    """
    try:
        step = round_half_up(Fraction(text) * SECOND_US)
    except (ValueError, ZeroDivisionError):
        step = 0
    if step <= 0:
        raise ValueInvalid(
            "the distance between frames is invalid",
            expected="seconds above 0, such as 2 or 0.5",
            found=text,
            where="--every",
        )
    return step


def thinned(count: int, most: int | None, asked: Collection[int] = ()) -> Sequence[int]:
    """Choose which of ``count`` frames to keep if at most ``most`` are allowed.

    Frames that the question names come first, evenly spread if not all of them fit.  Then the last
    frame, which shows the present, the first frame, and repeatedly the middle of the widest gap.
    Without named frames, all are spread evenly.

    Args:
        asked: indices in ``range(count)`` of the named frames.
    """
    if most is None or count <= most:
        return range(count)
    if not asked:
        return _spread(count, most)
    wanted = sorted(asked)
    if len(wanted) >= most:
        return [wanted[place] for place in _spread(len(wanted), most)]
    kept = set(wanted)
    for end in (count - 1, 0):
        if len(kept) < most:
            kept.add(end)
    while len(kept) < most:
        ends = sorted(kept)
        gaps = ((b - a, -a) for a, b in pairwise(ends))
        width, begin = max(gaps, default=(0, 0))
        kept.add(-begin + width // 2)
    return sorted(kept)


def _spread(count: int, most: int) -> list[int]:
    if most == 1:
        return [count - 1]
    return [round_half_up(Fraction(i * (count - 1), most - 1)) for i in range(most)]


SHOWN = "shown_us"
"""Name of the slot that holds the times of the shown frames."""

IN_ORDER = "in order of time"
MIXED = "in mixed order and each behind its letter"
LETTERS = "ABCDEFGH"


def shown_us(row: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the times of frames that are shown shuffled, in display order.

    The result is () for items whose frames are shown in the order of time.

    Raises:
        OutputBroken: the slot values are not times, or are too many.
    """
    times = orjson.loads(row.get("slots") or "{}").get(SHOWN, [])
    known = isinstance(times, list) and all(isinstance(time, int) for time in times)
    if not known or len(times) > len(LETTERS):
        raise OutputBroken(
            f"item {row['item_id']} does not state which frames it shows", found=str(times)[:80],
            expected=f"at most {len(LETTERS)} times", where=f"slots: {SHOWN}",
            fix="build the dataset again",
        )  # fmt: skip
    return tuple(times)


def mixed_frames(times_us: Sequence[int], prompt: PromptSections) -> list[dict[str, Any]]:
    """Return time and caption of each frame; the caption has the letter but no time."""
    return [
        {"time_us": time, "caption": prompt.render("mixed frame", {"letter": letter}) or None}
        for time, letter in zip(times_us, LETTERS, strict=False)
    ]


COLUMNS = ("slots", "rule_args", "resolution_us", "template_id")
"""Columns read in addition to :data:`windows.COLUMNS`; only the times in the slots are used."""

TIMED = ("instant", "stretch", "stretches")
"""Types of values that are times or contain times."""

LEAST_US = 10_000
"""Texts print no time below a hundredth of a second; smaller integers are not times."""

_BOUNDS = ("earliest_us", "latest_us")

PRINTED_TIME = re.compile(r"(?<![\d.])(\d+\.\d\d) s\b")
"""An instant or a duration as texts print it."""

SILENT = "no_alert"
"""The expected response of a round before there is anything to report."""

MOST = 256
"""Maximum number of frames of one interval that are requested because of labels."""


def named_us(row: Mapping[str, Any], origin_us: int) -> frozenset[int]:
    """Return the instants that the question or one of its options names, in microseconds.

    Times in the question are looked up in the slots, which have them exactly.  Times of options are
    taken as printed, to a hundredth of a second, and moved to a frame that starts within 5 ms of
    them, so that the correct option is no more exact than the others.

    Args:
        row: a row of ``data/``, with :data:`COLUMNS`.
        origin_us: the time that the texts call 0.

    Raises:
        OutputBroken: the slots cannot be read.
    """
    typed: dict[str, set[int]] = {}
    for time_us in _times(_parsed(row, "slots")):
        for zero_us in {0, origin_us, row["start_us"]}:
            typed.setdefault(print_seconds(time_us - zero_us), set()).add(time_us)
    out: set[int] = set()
    for printed in PRINTED_TIME.findall(row["question"] or ""):
        out |= typed.get(printed) or {_read(printed, row, origin_us)}
    timed = _tells_instant(row)
    for option in row["options"] or ():
        if timed and option.get("value"):
            offered = _offered(orjson.loads(option["value"]))
            out |= {_read(print_seconds(one - origin_us), row, origin_us) for one in offered}
        else:
            out |= {
                _read(printed, row, origin_us) for printed in PRINTED_TIME.findall(option["text"])
            }
    return frozenset(out)


@dataclass(frozen=True, slots=True)
class Habits:
    """Properties of templates, which reveal nothing about the answer of a single item.

    Attributes:
        timed: templates whose answers contain instants that no option offers.
        alerts: templates whose rounds are silent until there is something to report.
    """

    timed: frozenset[str] = frozenset()
    alerts: frozenset[str] = frozenset()


def habits_of(folder: OutputFolder, benchmark: str | None) -> Habits:
    """Collect the properties of all templates from the rows."""
    columns = ["template_id", "options", "rounds", "rule_args"]
    timed, alerts = set[str](), set[str]()
    for row in folder.rows(benchmark, columns):
        name = row["template_id"]
        if row["rounds"]:
            if any(one["expected_output"] == SILENT for one in row["rounds"]):
                alerts.add(name)
        elif name not in timed and not row["options"] and _tells_instant(row):
            timed.add(name)
    return Habits(frozenset(timed), frozenset(alerts))


def fine_step_us(row: Mapping[str, Any], length_us: int) -> int | None:
    """Return half the time between two labels, in microseconds, as the step between frames.

    Labels of instants become intervals that start and end half-way between two labels.

    Returns:
        None if the labels are so fine that an interval would need more than :data:`MOST` frames, or
        if their distance is unknown.
    """
    step_us = (row.get("resolution_us") or 0) // 2
    return step_us if step_us and length_us // step_us < MOST else None


def _tells_instant(row: Mapping[str, Any]) -> bool:
    return any(_timed(*one) for one in answer_types(row))


def _parsed(row: Mapping[str, Any], name: str) -> Any:
    try:
        return orjson.loads(row.get(name) or "{}")
    except (orjson.JSONDecodeError, TypeError) as error:
        raise OutputBroken(
            f"an item has no readable {name}", expected="a JSON object", found=str(error),
            where=str(row.get("item_id") or row.get("template_id")), fix="build the dataset again",
        ) from None  # fmt: skip


def _timed(name: str, of: str) -> bool:
    """True if values are times, contain times, or are records, which may contain times."""
    return name in TIMED or (name in ("set", "sequence") and of in (*TIMED, "record"))


def _offered(value: Any) -> Iterator[int]:
    """Yield the times of an option's typed value, without the times of facts in it."""
    if isinstance(value, dict) and "start_us" in value:
        return
    if isinstance(value, dict):
        value = [one for key, one in value.items() if key not in _BOUNDS]
    if isinstance(value, list):
        for one in value:
            yield from _offered(one)
    elif type(value) is int and (value == 0 or value >= LEAST_US):
        yield value


def _times(value: Any, name: str = "") -> Iterator[int]:
    """Yield all times at any depth: integers below keys that end in ``_us``, and large integers."""
    inner: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = ((name, one) for one in value)
    elif type(value) is int and (name.endswith("_us") or value >= LEAST_US):
        yield value
    for key, one in inner:
        if key not in _BOUNDS:
            yield from _times(one, key)


def _read(printed: str, row: Mapping[str, Any], origin_us: int) -> int:
    """Return the time that a text prints; with a known rate, the start of the frame shown then."""
    time_us = origin_us + int(Fraction(printed) * SECOND_US)
    fps_num, fps_den = row["media"]["fps_num"], row["media"]["fps_den"]
    if not fps_num or not fps_den:
        return time_us
    period = Fraction(SECOND_US * fps_den, fps_num)
    begins_us = round(round(time_us / period) * period)
    return begins_us if abs(begins_us - time_us) <= SECOND_US // 200 else time_us

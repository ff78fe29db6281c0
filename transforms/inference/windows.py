"""The part of an item that a model may see: its windows, and how its times are printed.

Only the columns named here are read from a row, so nothing else can get into a job.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.records import Clock, MediaKind
from surgqa.ontology.times import SECOND_US, print_seconds
from surgqa.ontology.units import CHAIN, CLIP, NOW, asked_us
from surgqa.ontology.units import COLUMNS as UNIT
from surgqa.transforms.inference.prompts import PROTOCOLS

COLUMNS = (
    "item_id", "benchmark", "form", "dataset", "video_id", "start_us", "end_us", "media",
    "question", "options", "temporal_mode", "task_mode", *UNIT,
)  # fmt: skip
"""Columns that are read from a row of ``data/``; from options, only keys and texts; from rounds,
only number and range.
"""


LEAST_STEPS = 8
"""Minimum number of steps between frames in the window of a chain."""


@dataclass(frozen=True, slots=True)
class ShownInterval:
    """One interval that is shown in one call: a window, or the start of a stream up to a round."""

    round_index: int | None
    start_us: int
    end_us: int


@dataclass(frozen=True, slots=True)
class TimeScale:
    """The form in which times are printed.

    Attributes:
        unit: ``sec``, ``frame`` or ``image``.
        origin_us: the time that is called 0.
        period_us: length of a frame if the unit is ``frame``.
    """

    unit: str
    origin_us: int
    period_us: int = SECOND_US

    def text(self, time_us: int) -> str | None:
        """Return ``12.00 s`` or ``frame 12``; None for a still image, which has no time."""
        if self.unit == "image":
            return None
        if self.unit == "frame":
            return f"frame {(time_us - self.origin_us) // self.period_us}"
        return f"{print_seconds(time_us - self.origin_us)} s"

    def step_us(self, every_us: int) -> int:
        """Return a step in seconds, or the same number of frames without a clock."""
        if self.unit != "frame":
            return every_us
        return max(1, every_us * self.period_us // SECOND_US)


def sights(row: Mapping[str, Any]) -> Iterator[ShownInterval]:
    """Yield the window of an item, or each round of a stream, in order.

    A half-open window ends one microsecond after the query time; the result ends at that time.
    """
    if not row["rounds"]:
        open_ended = row["unit"] == NOW and asked_us(row) == row["end_us"] - 1
        yield ShownInterval(None, row["start_us"], row["end_us"] - open_ended)
        return
    for one in sorted(row["rounds"], key=lambda r: r["round_index"]):
        yield ShownInterval(one["round_index"], one["start_us"], one["end_us"])


def scale_of(row: Mapping[str, Any], clock: str, period_us: int) -> TimeScale:
    """Return the form in which the times of an item are printed.

    Questions about clips count from the start of the clip.  All others count from the start of the
    video, because they are asked at a time of the video or have windows of different length.  A
    still image has no time.
    """
    still = clock == Clock.WHOLE and row["end_us"] - row["start_us"] <= 1
    if still or row["media"]["kind"] == MediaKind.IMAGE:
        return TimeScale("image", 0)
    origin_us = row["start_us"] if row["unit"] == CLIP else 0
    unit = "frame" if clock == Clock.ORDER else "sec"
    return TimeScale(unit, origin_us, period_us or SECOND_US)


def step_of(row: Mapping[str, Any], sight: ShownInterval, step_us: int) -> int:
    """Return the distance between frames: a step, in chains at most an eighth of the interval.

    The windows of a chain become narrower from stage to stage.  In the two seconds of a last stage,
    with options half a second apart, frames two seconds apart would show nothing.
    """
    if row["unit"] != CHAIN:
        return step_us
    return min(step_us, max(1, (sight.end_us - sight.start_us) // LEAST_STEPS))


def protocol_of(temporal_mode: str | None, alerts: bool = False) -> str | None:
    """Return the allowed outputs, or None for questions without a temporal mode.

    Args:
        alerts: True if silence is correct in the rounds of such questions until there is an alert.
    """
    if temporal_mode is None and not alerts:
        return None
    return PROTOCOLS[alerts or temporal_mode == "proactive"]

"""Samples: a frame and the eight seconds of video that follow it (SurgVeo)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from surgqa.ontology.continuations import LENGTH_US
from surgqa.ontology.errors import NothingSelected
from surgqa.ontology.times import SECOND_US, frame_to_us

Interval = tuple[int, int]
"""Half-open [start_us, end_us)."""
HIDDEN = (("event", "out_of_body"), ("condition", "outside_the_patient"))
"""Kind and label of spans in which the operation is not visible."""


VIDEOS = 3
"""Number of operations per track."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """One sample.

    Attributes:
        stage: concept id.
        fps: exact frame rate.
        frame: number of the input frame, from 0, which is also the first frame of the reference.
        frames: number of frames of the reference.
        found_by: id of the template that asks for the sample.
        interval: start and end of the stage.
    """

    sample_id: str
    track: str
    video: str
    stage: str
    fps: Fraction
    frame: int
    frames: int
    found_by: str
    interval: Interval

    @property
    def start_us(self) -> int:
        return frame_to_us(self.frame, self.fps)

    @property
    def end_us(self) -> int:
        return frame_to_us(self.frame + self.frames, self.fps)


def without(interval: Interval, hidden: Sequence[Interval]) -> list[Interval]:
    """Return the pieces of an interval that lie outside the hidden intervals, ascending."""
    pieces, at = [], interval[0]
    for start, end in sorted(hidden):
        if min(start, interval[1]) > at:
            pieces.append((at, min(start, interval[1])))
        at = max(at, end)
    return [*pieces, (at, interval[1])] if at < interval[1] else pieces


def chosen_videos(stages: Mapping[str, Collection[str]], count: int = 3) -> list[str]:
    """Return the ``count`` videos with the most stages present; ties are broken by id.

    Args:
        stages: for each video, its stages.

    Raises:
        UserError: there are fewer videos than ``count``.
    """
    if len(stages) < count:
        raise NothingSelected(
            "too few operations for a track", expected=f"{count} operations with stages",
            found=", ".join(sorted(stages)) or "none", fix="ask for fewer, or give more videos",
        )  # fmt: skip
    return sorted(stages, key=lambda one: (-len(set(stages[one])), one))[:count]


def fits(frame: int, interval: Interval, fps: Fraction) -> bool:
    """True if the continuation from this frame lies whole in the interval, to the microsecond."""
    start = frame * SECOND_US / fps
    return start >= max(0, interval[0]) and start + LENGTH_US <= interval[1]

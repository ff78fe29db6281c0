"""Which of four clips goes on from a picture; not part of the benchmark.

All choices are keyed by the sample, so none depends on another choice; a question also depends on
which other samples there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ontology.keys import Key
from ontology.times import SECOND_US, frame_to_us
from transforms.exports.surgveo.continuations import (
    Continuation,
    ContinuationLimits,
    Interval,
    fits,
    without,
)

WHICH_CLIP = "which_clip"
MARK = "extension"
LETTERS = "ABCD"
SHIFT_US = 16 * SECOND_US
"""Least distance in time of a clip of the same operation from the real continuation."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A clip or a frame: video, its exact rate, first frame, number of frames."""

    video: str
    fps: Fraction
    frame: int
    frames: int = 1

    @property
    def start_us(self) -> int:
        return frame_to_us(self.frame, self.fps)

    @property
    def end_us(self) -> int:
        return frame_to_us(self.frame + self.frames, self.fps)


@dataclass(frozen=True, slots=True)
class Choice:
    """One option: a clip, and 'answer' or what makes it a fair wrong one."""

    key: str
    why: str
    shown: Shown


@dataclass(frozen=True, slots=True)
class Question:
    """One question without its wording; ``answer`` is the key of the right choice."""

    choices: tuple[Choice, ...]
    answer: str


def which_clip(
    sample: Continuation,
    samples: Iterable[Continuation],
    hidden: Sequence[Interval] = (),
    limits: ContinuationLimits | None = None,
) -> Question | None:
    """The real continuation among a clip of the same stage of another operation, one of
    another stage of this operation, and one of this interval at least 16 s away.

    All four have the same rate and number of frames, so that these do not tell.

    Args:
        samples: all of the track.
        hidden: time of this operation that must not be seen.

    Returns:
        None where one of the three cannot be had.
    """
    key = Key("surgveo/extension", sample.sample_id, WHICH_CLIP)
    all_of = [one for one in samples if (one.track, one.fps) == (sample.track, sample.fps)]
    same = [one for one in all_of if one.stage == sample.stage and one.video != sample.video]
    other = [one for one in all_of if one.stage != sample.stage and one.video == sample.video
             and _apart(one, sample)]  # fmt: skip
    shifted = _shifted(sample, hidden, limits or ContinuationLimits())
    if not (same and other and shifted is not None):
        return None
    elsewhere, stage = _picked(key, same), _picked(key, other)
    found = {
        "answer": _clip(sample),
        "same stage of another operation": _clip(elsewhere),
        "other stage of this operation": _clip(stage),
        "this stage at another time": Shown(sample.video, sample.fps, shifted, sample.frames),
    }
    whys = key.extended("option").ordered(found)
    choices = tuple(
        Choice(letter, why, found[why]) for letter, why in zip(LETTERS, whys, strict=True)
    )
    return Question(choices, LETTERS[whys.index("answer")])


def _picked(key: Key, found: Sequence[Continuation]) -> Continuation:
    return found[key.choose([one.sample_id for one in found])]


def _clip(one: Continuation) -> Shown:
    return Shown(one.video, one.fps, one.frame, one.frames)


def _apart(one: Continuation, sample: Continuation) -> bool:
    return abs(one.start_us - sample.start_us) >= SHIFT_US


def _shifted(
    sample: Continuation, hidden: Sequence[Interval], limits: ContinuationLimits
) -> int | None:
    """The nearest frame at least 16 s later, else earlier, from which 8 s fit."""
    steps = -(-sample.fps * SHIFT_US // SECOND_US)
    pieces = without(sample.interval, hidden)
    for frame in (sample.frame + steps, sample.frame - steps):
        if any(fits(frame, piece, sample.fps, limits) for piece in pieces):
            return int(frame)
    return None

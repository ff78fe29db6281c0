"""The question which of four clips continues an image, which is not part of the benchmark.

All draws use the sample's key, so they are independent of each other.  A question also depends
on which other samples exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from surgqa.ontology.keys import Key
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.exports.surgveo.continuations import (
    Continuation,
    Interval,
    fits,
    without,
)

WHICH_CLIP = "which_clip"
MARK = "extension"
LETTERS = "ABCD"
SHIFT_US = 16 * SECOND_US
"""Minimum time between a distractor of the same operation and the real continuation."""


@dataclass(frozen=True, slots=True)
class ShownClip:
    """A clip or a frame: video, its exact frame rate, first frame, number of frames."""

    video: str
    fps: Fraction
    frame: int
    frames: int = 1


@dataclass(frozen=True, slots=True)
class ClipOption:
    """One option: a clip, and 'answer' or the reason why it is a fair distractor."""

    key: str
    why: str
    shown: ShownClip


@dataclass(frozen=True, slots=True)
class ClipQuestion:
    """One question without its wording; ``answer`` is the key of the correct choice."""

    choices: tuple[ClipOption, ...]
    answer: str


def which_clip(
    sample: Continuation,
    samples: Iterable[Continuation],
    hidden: Sequence[Interval] = (),
) -> ClipQuestion | None:
    """Return the real continuation and three distractors: the same stage of another operation,
    another stage of this operation, and this stage at least 16 s earlier or later.

    All four clips have the same frame rate and number of frames, so that these reveal nothing.

    Args:
        samples: all samples of the track.
        hidden: intervals of this operation that must not be shown.

    Returns:
        The result is None if one of the three distractors does not exist.
    """
    key = Key("surgveo/extension", sample.sample_id, WHICH_CLIP)
    all_of = [one for one in samples if (one.track, one.fps) == (sample.track, sample.fps)]
    same = [one for one in all_of if one.stage == sample.stage and one.video != sample.video]
    other = [one for one in all_of if one.stage != sample.stage and one.video == sample.video
             and _apart(one, sample)]  # fmt: skip
    shifted = _shifted(sample, hidden)
    if not (same and other and shifted is not None):
        return None
    elsewhere, stage = _picked(key, same), _picked(key, other)
    found = {
        "answer": _clip(sample),
        "same stage of another operation": _clip(elsewhere),
        "other stage of this operation": _clip(stage),
        "this stage at another time": ShownClip(sample.video, sample.fps, shifted, sample.frames),
    }
    whys = key.extended("option").ordered(found)
    choices = tuple(
        ClipOption(letter, why, found[why]) for letter, why in zip(LETTERS, whys, strict=True)
    )
    return ClipQuestion(choices, LETTERS[whys.index("answer")])


def _picked(key: Key, found: Sequence[Continuation]) -> Continuation:
    return found[key.choose([one.sample_id for one in found])]


def _clip(one: Continuation) -> ShownClip:
    return ShownClip(one.video, one.fps, one.frame, one.frames)


def _apart(one: Continuation, sample: Continuation) -> bool:
    return abs(one.start_us - sample.start_us) >= SHIFT_US


def _shifted(sample: Continuation, hidden: Sequence[Interval]) -> int | None:
    """Return the frame 16 s later, else 16 s earlier, if a clip from there fits into the video.

    The result is None if neither fits.
    """
    steps = -(-sample.fps * SHIFT_US // SECOND_US)
    pieces = without(sample.interval, hidden)
    for frame in (sample.frame + steps, sample.frame - steps):
        if any(fits(frame, piece, sample.fps) for piece in pieces):
            return int(frame)
    return None

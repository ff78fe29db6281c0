"""Questions about a continuation that labels alone answer; not part of the benchmark.

The next stage, which of four clips goes on from the frame, the order of three frames, the
stage of the frame.  All choices are keyed by the sample, so none depends on another choice;
a question about clips also depends on which other samples there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from ontology.continuations import Track
from ontology.keys import Key
from ontology.records import Span
from ontology.times import SECOND_US, frame_to_us
from transforms.windows.continuations import (
    Continuation,
    ContinuationLimits,
    Interval,
    fits,
    stage_intervals,
    without,
)

NEXT_STAGE, WHICH_CLIP, FRAME_ORDER, STAGE_NOW = KINDS = (
    "next_stage", "which_clip", "frame_order", "stage_now",
)  # fmt: skip
MARK = "extension"
LETTERS = "ABCD"
SHIFT_US = 16 * SECOND_US
"""Least distance in time of a clip of the same operation from the real continuation."""
ORDERED_S = (1, 4, 7)
"""Seconds from the start of the three frames that are put in order."""


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
class Rest:
    """A labelled interval that an answer rests on."""

    video: str
    stage: str
    interval: Interval


@dataclass(frozen=True, slots=True)
class Choice:
    """One option.

    Attributes:
        value: stage, letters of frames in order, or the kind of clip.
        why: 'answer', or what makes it a fair wrong one.
        shown: the clip, where there is one.
    """

    key: str
    value: str
    why: str
    shown: Shown | None = None


@dataclass(frozen=True, slots=True)
class ExtensionItem:
    """One question without its wording.

    Attributes:
        answer: key of the right choice.
        shown: what the question shows, in the order in which it is shown.
        rests_on: what makes the answer true and the other choices wrong; the labels behind
            each are :func:`transforms.windows.continuations.spans_behind`.
    """

    kind: str
    sample_id: str
    choices: tuple[Choice, ...]
    answer: str
    shown: tuple[Shown, ...]
    rests_on: tuple[Rest, ...]
    mark: str = MARK


def stage_now(
    sample: Continuation,
    track: Track,
    spans: Iterable[Span],
    limits: ContinuationLimits | None = None,
) -> ExtensionItem | None:
    """The stage of the frame, among four stages of the track.

    Args:
        spans: of the sample's video.

    Returns:
        None where the frame lies in another label of that kind as well.
    """
    if any(
        start <= sample.start_us < end for start, end, _ in _others(sample, track, spans, limits)
    ):
        return None
    return _stages(STAGE_NOW, sample, sample.stage, (), track, (_rest(sample),))


def next_stage(
    sample: Continuation,
    track: Track,
    spans: Iterable[Span],
    limits: ContinuationLimits | None = None,
) -> ExtensionItem | None:
    """The stage that begins next, as labelled.

    Args:
        spans: of the sample's video.

    Returns:
        None where the video ends with this stage, where the next label of that kind is this
        stage again or no stage of the track, where two begin at the same instant, and where
        another began before this one ended.
    """
    others = _others(sample, track, spans, limits)
    if any(start < sample.interval[1] and end > sample.start_us for start, end, _ in others):
        return None
    later = [one for one in others if one[0] >= sample.interval[1]]
    if not later or sum(one[0] == later[0][0] for one in later) > 1:
        return None
    start, end, stage = later[0]
    if stage == sample.stage or stage not in track.stages:
        return None
    rests = (_rest(sample), Rest(sample.video, stage, (start, end)))
    return _stages(NEXT_STAGE, sample, stage, (sample.stage,), track, rests)


def _rest(sample: Continuation) -> Rest:
    return Rest(sample.video, sample.stage, sample.interval)


def _others(
    sample: Continuation,
    track: Track,
    spans: Iterable[Span],
    limits: ContinuationLimits | None,
) -> list[tuple[int, int, str]]:
    """Start, end and name of all labels of the track's kind but the sample's own, by time.

    Stages as merged intervals; what is no stage of the track as it is labelled.
    """
    spans = list(spans)
    found = [(one.start_us, one.end_us, one.label) for one in spans
             if one.kind == track.kind and one.label not in track.stages]  # fmt: skip
    for stage, intervals in stage_intervals(track, spans, limits).items():
        found += [(*one, stage) for one in intervals
                  if (stage, one) != (sample.stage, sample.interval)]  # fmt: skip
    return sorted(found)


def _stages(
    kind: str,
    sample: Continuation,
    answer: str,
    barred: Sequence[str],
    track: Track,
    rests: tuple[Rest, ...],
) -> ExtensionItem:
    key = Key("surgveo/extension", sample.sample_id, kind)
    wrong = [one for one in track.stages if one != answer and one not in barred]
    picked = key.extended("wrong").ordered(wrong)[: len(LETTERS) - 1]
    values = key.extended("option").ordered([answer, *picked])
    choices = tuple(
        Choice(letter, value, "answer" if value == answer else "stage of the track")
        for letter, value in zip(LETTERS, values, strict=False)
    )
    shown = (_frame(sample, sample.frame),)
    right = LETTERS[values.index(answer)]
    return ExtensionItem(kind, sample.sample_id, choices, right, shown, rests)


def which_clip(
    sample: Continuation,
    samples: Iterable[Continuation],
    hidden: Sequence[Interval] = (),
    limits: ContinuationLimits | None = None,
) -> ExtensionItem | None:
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
        Choice(letter, why, why, found[why]) for letter, why in zip(LETTERS, whys, strict=True)
    )
    right = LETTERS[whys.index("answer")]
    rests = (_rest(sample), _rest(elsewhere), _rest(stage))
    shown = (_frame(sample, sample.frame),)
    return ExtensionItem(WHICH_CLIP, sample.sample_id, choices, right, shown, rests)


def _picked(key: Key, found: Sequence[Continuation]) -> Continuation:
    return found[key.choose([one.sample_id for one in found])]


def _clip(one: Continuation) -> Shown:
    return Shown(one.video, one.fps, one.frame, one.frames)


def _frame(one: Continuation, frame: int) -> Shown:
    return Shown(one.video, one.fps, frame)


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


def frame_order(sample: Continuation) -> ExtensionItem:
    """Three frames of the reference, shown in a keyed order; which came first, second, last?"""
    key = Key("surgveo/extension", sample.sample_id, FRAME_ORDER)
    frames = [sample.frame + int(Fraction(s) * sample.fps) for s in ORDERED_S]
    places = key.extended("shown").ordered([str(k) for k in range(len(frames))])
    shown = tuple(_frame(sample, frames[int(place)]) for place in places)
    answer = "".join(LETTERS[places.index(str(k))] for k in range(len(frames)))
    wrong = ["".join(one) for one in permutations(LETTERS[: len(frames)])]
    wrong.remove(answer)
    picked = key.extended("wrong").ordered(wrong)[: len(LETTERS) - 1]
    values = key.extended("option").ordered([answer, *picked])
    choices = tuple(
        Choice(letter, value, "answer" if value == answer else "other order")
        for letter, value in zip(LETTERS, values, strict=True)
    )
    return ExtensionItem(FRAME_ORDER, sample.sample_id, choices, LETTERS[values.index(answer)],
                         shown, (_rest(sample),))  # fmt: skip

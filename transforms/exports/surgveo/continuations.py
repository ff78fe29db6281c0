"""Samples of a frame and the eight seconds that follow it, one for each stage (SurgVeo).

A stage's intervals less than 2 s apart are one.  The frame is the last before an action
begins, at least 2 s into the stage and with 8 s of it left: the earliest such frame of the
longest interval that has one.  Without an action it lies 4 s before the interval's middle.
An interval shorter than 10 s gives nothing, and the eight seconds keep clear of hidden time.
The benchmark's paper does not say how its frames were chosen; by these rules picture,
reference and prompt belong to one stage, and no picture has to be looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ontology.continuations import LENGTH_US, Track
from ontology.errors import UserError
from ontology.keys import digest
from ontology.moments import Moment
from ontology.records import Clock, Code, Rejected, Span, Video
from ontology.times import SECOND_US, frame_to_us, print_seconds

Interval = tuple[int, int]
"""Half-open [start_us, end_us)."""

ONSET, MIDDLE = "onset", "middle"
"""How the frame was found."""
HIDDEN = (("event", "out_of_body"), ("condition", "outside_the_patient"))
"""Kind and label of spans in which the operation is not seen."""


@dataclass(frozen=True, slots=True)
class ContinuationLimits:
    """Microseconds.

    Attributes:
        merge_us: intervals of a stage nearer than this are one.
        settled_us: from the stage's start to the frame, where an action was found.
        shortest_us: a shorter interval is not eligible.
        videos: how many operations a track takes.
    """

    merge_us: int = 2 * SECOND_US
    settled_us: int = 2 * SECOND_US
    length_us: int = LENGTH_US
    shortest_us: int = 10 * SECOND_US
    videos: int = 3


@dataclass(frozen=True, slots=True)
class Continuation:
    """One sample.

    Attributes:
        stage: concept id.
        fps: exact rate of the pictures.
        frame: of the picture at the start, from 0; also the first of the reference.
        frames: pictures of the reference.
        found_by: ``onset`` of an action or ``middle`` of the interval.
        interval: of the stage, merged.
        onset_us: when the action begins; None where none was found.
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
    onset_us: int | None = None

    @property
    def start_us(self) -> int:
        return frame_to_us(self.frame, self.fps)

    @property
    def end_us(self) -> int:
        return frame_to_us(self.frame + self.frames, self.fps)


@dataclass(frozen=True, slots=True)
class Continuations:
    """What one video gives, and the stages that it has and that give nothing."""

    samples: tuple[Continuation, ...]
    rejected: tuple[Rejected, ...]


def frame_count(fps: Fraction, length_us: int = LENGTH_US) -> int:
    """Pictures that begin in [t, t + length) where one begins at t: 200 at 25 fps, 192 at 24.

    Raises:
        UserError: the rate is not above 0.
    """
    if fps <= 0:
        raise UserError("the rate of the pictures must be above 0", expected="a rate above 0",
                        found=str(fps))  # fmt: skip
    exact = fps * length_us / SECOND_US
    return -(-exact.numerator // exact.denominator)


def merged(intervals: Iterable[Interval], nearer_us: int) -> list[Interval]:
    """Intervals less than ``nearer_us`` apart made one, ascending; empty ones are left out."""
    out: list[Interval] = []
    for start, end in sorted(one for one in intervals if one[1] > one[0]):
        if out and start - out[-1][1] < nearer_us:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def without(interval: Interval, hidden: Sequence[Interval]) -> list[Interval]:
    """What is left of an interval outside the hidden time, ascending."""
    pieces, at = [], interval[0]
    for start, end in sorted(hidden):
        if min(start, interval[1]) > at:
            pieces.append((at, min(start, interval[1])))
        at = max(at, end)
    return [*pieces, (at, interval[1])] if at < interval[1] else pieces


def stage_intervals(
    track: Track, spans: Iterable[Span], limits: ContinuationLimits | None = None
) -> dict[str, list[Interval]]:
    """Stage -> merged intervals, in the track's order; stages without one are left out."""
    limits = limits or ContinuationLimits()
    found: dict[str, list[Interval]] = {}
    for span in spans:
        if span.kind == track.kind and span.label in track.stages:
            found.setdefault(span.label, []).append((span.start_us, span.end_us))
    out = {one: merged(found.get(one, ()), limits.merge_us) for one in track.stages}
    return {stage: intervals for stage, intervals in out.items() if intervals}


def spans_behind(
    track: Track, spans: Iterable[Span], stage: str, interval: Interval
) -> tuple[Span, ...]:
    """The labels that a stage's merged interval was made of, by time: its evidence."""
    mine = (one for one in spans if one.kind == track.kind and one.label == stage)
    inside = [one for one in mine if interval[0] <= one.start_us < one.end_us <= interval[1]]
    return tuple(sorted(inside, key=lambda one: (one.start_us, one.end_us, one.pointer)))


def hidden_intervals(spans: Iterable[Span]) -> list[Interval]:
    """When the operation is not seen, as labelled; see :data:`HIDDEN`."""
    found = ((one.start_us, one.end_us) for one in spans if (one.kind, one.label) in HIDDEN)
    return merged(found, 0)


def action_onsets(moments: Iterable[Moment]) -> list[int]:
    """When actions begin, ascending."""
    return sorted({one.start_us for one in moments if one.kind == "action"})


def cut_continuations(
    track: Track,
    video: Video,
    spans: Iterable[Span],
    fps: Fraction,
    onsets_us: Iterable[int] = (),
    hidden: Iterable[Interval] = (),
    limits: ContinuationLimits | None = None,
) -> Continuations:
    """The samples of one video, in the track's order of stages.

    Args:
        spans: of the video; those of the track's stages are used.
        fps: constant rate of the pictures, not of the labels.
        onsets_us: when actions begin; :func:`action_onsets`.
        hidden: time that must not be seen: blacked out, camera outside the body;
            :func:`hidden_intervals`.
    """
    limits = limits or ContinuationLimits()
    onsets, dark = sorted(set(onsets_us)), merged(hidden, 0)
    samples, rejected = [], []
    for stage, intervals in stage_intervals(track, spans, limits).items():
        if video.clock != Clock.TIME:
            reason = "the dataset does not tell when its pictures were taken"
            rejected.append(_rejected(video, stage, Code.NO_CLOCK, reason, intervals))
            continue
        long = [one for one in intervals if one[1] - one[0] >= limits.shortest_us]
        found = _frame(sorted(long, key=_longest_first), onsets, dark, fps, limits)
        if found is None:
            rejected.append(_nothing(video, stage, intervals, long, limits))
            continue
        frame, onset, interval = found
        by = MIDDLE if onset is None else ONSET
        sample_id = digest("continuation", video.key, track.name, stage)
        samples.append(Continuation(
            sample_id, track.name, video.key, stage, fps, frame,
            frame_count(fps, limits.length_us), by, interval, onset,
        ))  # fmt: skip
    return Continuations(tuple(samples), tuple(rejected))


def chosen_videos(stages: Mapping[str, Collection[str]], count: int = 3) -> list[str]:
    """The ``count`` videos with the most stages present; ties by id.

    Args:
        stages: video -> its stages.

    Raises:
        UserError: there are fewer videos.
    """
    if len(stages) < count:
        raise UserError(
            "too few operations for a track", expected=f"{count} operations with stages",
            found=", ".join(sorted(stages)) or "none", fix="ask for fewer, or give more videos",
        )  # fmt: skip
    return sorted(stages, key=lambda one: (-len(set(stages[one])), one))[:count]


def _longest_first(interval: Interval) -> tuple[int, int]:
    return interval[0] - interval[1], interval[0]


def _frame(
    long: Sequence[Interval],
    onsets: Sequence[int],
    dark: Sequence[Interval],
    fps: Fraction,
    limits: ContinuationLimits,
) -> tuple[int, int | None, Interval] | None:
    """Frame, the onset of the action behind it, interval; None where none fits."""
    for interval in long:
        for onset in onsets:
            frame = -(-onset * fps // SECOND_US) - 1  # the last that begins before it
            settled = (interval[0] + limits.settled_us, interval[1])
            if fits(frame, settled, fps, limits) and not _meets(frame, dark, fps, limits):
                return frame, onset, interval
    for interval in long:
        for piece in sorted(without(interval, dark), key=_longest_first):
            middle = Fraction(sum(piece) - limits.length_us, 2)
            frame = int(middle * fps // SECOND_US)
            for one in (frame, frame + 1):
                if fits(one, piece, fps, limits):
                    return one, None, interval
    return None


def fits(
    frame: int, interval: Interval, fps: Fraction, limits: ContinuationLimits | None = None
) -> bool:
    """Whether a continuation from this frame lies in the interval, to its last microsecond."""
    start, end = _bounds(frame, fps, limits or ContinuationLimits())
    return start >= max(0, interval[0]) and end <= interval[1]


def _meets(frame: int, dark: Sequence[Interval], fps: Fraction, limits: ContinuationLimits) -> bool:
    start, end = _bounds(frame, fps, limits)
    return any(a < end and start < b for a, b in dark)


def _bounds(frame: int, fps: Fraction, limits: ContinuationLimits) -> tuple[Fraction, Fraction]:
    start = frame * SECOND_US / fps
    return start, start + limits.length_us


def _nothing(
    video: Video,
    stage: str,
    intervals: Sequence[Interval],
    long: Sequence[Interval],
    limits: ContinuationLimits,
) -> Rejected:
    if not long:
        least = limits.shortest_us // SECOND_US
        reason = f"{stage} has no interval of {least} s or more"
        return _rejected(video, stage, Code.TOO_SHORT, reason, intervals)
    length = limits.length_us // SECOND_US
    reason = f"{stage} has no {length} s without hidden time"
    return _rejected(video, stage, Code.EXCLUDED, reason, intervals)


def _rejected(
    video: Video, stage: str, code: Code, reason: str, intervals: Sequence[Interval]
) -> Rejected:
    where = ", ".join(f"{print_seconds(a)}-{print_seconds(b)} s" for a, b in intervals[:3])
    return Rejected("cut", f"{video.key}/{stage}", code, reason, where)

"""Stages of an operation again, and the picture of each from which eight seconds go on.

All comparisons are of whole numbers: a picture k at num/den a second begins k * den * 10^6
parts of 1/num of a microsecond after the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ontology.continuations import Track
from ontology.keys import digest
from transforms.checks.evidence import VideoView
from transforms.checks.queries.base import SECOND_US

NEAR_US = 2 * SECOND_US
"""Intervals of a stage less than this apart are one."""
SETTLED_US = 2 * SECOND_US
"""How long the stage has gone on at the picture before an action."""
LENGTH_US = 8 * SECOND_US
SHORTEST_US = 10 * SECOND_US
"""A shorter interval has no picture."""
HIDDEN = (("event", "out_of_body"), ("condition", "outside_the_patient"))
"""Kind and label of spans in which the operation is not seen."""
ONSET, MIDDLE = "onset", "middle"

Interval = tuple[int, int]


class Rate(NamedTuple):
    """Pictures a second: ``num / den``, in lowest terms."""

    num: int
    den: int

    def begins(self, frame: int) -> int:
        """When a picture begins, halves of a microsecond up."""
        return (2 * frame * self.den * SECOND_US + self.num) // (2 * self.num)

    def frames(self, length_us: int) -> int:
        """Pictures that begin in so much time from one's beginning on."""
        return -(-length_us * self.num // (self.den * SECOND_US))


class Start(NamedTuple):
    """The picture of a stage.

    Attributes:
        interval: of the stage, in which the eight seconds lie.
    """

    frame: int
    found_by: str
    interval: Interval


def stages_of(video: VideoView, track: Track) -> dict[str, list[Interval]]:
    """Intervals of each stage of the track, ascending; near ones are one."""
    out: dict[str, list[Interval]] = {}
    for stage in track.stages:
        found = sorted(
            (span.start_us, span.end_us)
            for span in video.spans
            if (span.kind, span.label) == (track.kind, stage) and span.start_us < span.end_us
        )
        joined: list[Interval] = []
        for start, end in found:
            if joined and start < joined[-1][1] + NEAR_US:
                start, reached = joined.pop()
                end = max(end, reached)
            joined.append((start, end))
        if joined:
            out[stage] = joined
    return out


def hidden_of(video: VideoView) -> list[Interval]:
    """Time in which the operation is not seen, in order of start."""
    return sorted(
        (span.start_us, span.end_us)
        for span in video.spans
        if (span.kind, span.label) in HIDDEN and span.start_us < span.end_us
    )


def start_of(video: VideoView, intervals: Sequence[Interval], rate: Rate) -> Start | None:
    """The picture of a stage: before an action if there is one, else about the middle."""
    long = [one for one in intervals if one[1] - one[0] >= SHORTEST_US]
    long.sort(key=lambda one: (one[0] - one[1], one[0]))
    onsets = sorted({one.start_us for one in video.moments if one.kind == "action"})
    hidden = hidden_of(video)
    for interval in long:
        for onset in onsets:
            frame = (onset * rate.num - 1) // (rate.den * SECOND_US)
            settled = (interval[0] + SETTLED_US, interval[1])
            if inside(frame, settled, rate) and not hidden_from(frame, hidden, rate):
                return Start(frame, ONSET, interval)
    for interval in long:
        for start, end in seen_of(interval, hidden):
            frame = (start + end - LENGTH_US) * rate.num // (2 * rate.den * SECOND_US)
            for one in (frame, frame + 1):
                if inside(one, (start, end), rate):
                    return Start(one, MIDDLE, interval)
    return None


def inside(frame: int, interval: Interval, rate: Rate) -> bool:
    """The eight seconds from a picture lie in an interval."""
    begins = frame * rate.den * SECOND_US
    ends = begins + LENGTH_US * rate.num
    return frame >= 0 and interval[0] * rate.num <= begins and ends <= interval[1] * rate.num


def hidden_from(frame: int, hidden: Sequence[Interval], rate: Rate) -> bool:
    """Something of the eight seconds from a picture is hidden."""
    begins = frame * rate.den * SECOND_US
    ends = begins + LENGTH_US * rate.num
    return any(start * rate.num < ends and begins < end * rate.num for start, end in hidden)


def seen_of(interval: Interval, hidden: Sequence[Interval]) -> list[Interval]:
    """The parts of an interval that are seen, the longest first, then the earliest."""
    edges = {edge for one in hidden for edge in one if interval[0] < edge < interval[1]}
    times = [interval[0], *sorted(edges), interval[1]]
    parts = [
        (a, b)
        for a, b in zip(times, times[1:], strict=False)
        if not any(start <= a and b <= end for start, end in hidden)
    ]
    return sorted(parts, key=lambda one: (one[0] - one[1], one[0]))


def sample_id(video: VideoView, track: Track, stage: str) -> str:
    """The id that all items about one picture share."""
    return digest("continuation", video.key, track.name, stage)


def labels_beside(
    video: VideoView, track: Track, stage: str, interval: Interval
) -> Iterator[tuple[int, int, str]]:
    """Start, end and name of everything of the track's kind but one interval of one stage.

    Stages come as their intervals, what is no stage of the track as it is labelled.
    """
    for name, intervals in stages_of(video, track).items():
        for one in intervals:
            if (name, one) != (stage, interval):
                yield (*one, name)
    for span in video.spans:
        if span.kind == track.kind and span.label not in track.stages:
            yield span.start_us, span.end_us, span.label

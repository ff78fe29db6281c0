"""Windows, segments and instants of a chain (SurgCoT 3.1 and 3.5), in whole microseconds.

The published widths are 20, 8 and 2 s.  Where four segments or four instants need more, a
window is as wide as those and a margin; widths always shrink.  A published rule puts Q3's wrong
instants half a second to a second from the right one; labels that know an instant too coarsely
for that (twice their resolution is more than half a second) get multiples of twice the
resolution instead, and the chain is marked coarse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ontology.keys import Key
from ontology.records import Code, Video
from ontology.times import SECOND_US, frame_to_us, us_to_frame
from transforms.questions.chains.found import WRONG, Event, Refused
from transforms.timeline.facts import Stretch

WIDTHS_US = (20 * SECOND_US, 8 * SECOND_US, 2 * SECOND_US)
BROAD_US = 10 * SECOND_US
"""Q1's window is so much wider than a long event."""
EDGE_US = 2 * SECOND_US
"""Q2's window is at least so much wider than its four segments."""
LONG_US = 8 * SECOND_US
OPENING_US = 5 * SECOND_US
"""Of an event that is longer than the one, Q2 asks for so much of its beginning."""
GRIDS_US = (SECOND_US, SECOND_US // 2, SECOND_US // 10)
LEAST_IOU = Fraction(7, 10)
HALF_US = SECOND_US // 2
PLACES = (Fraction(1, 5), Fraction(7, 20), Fraction(1, 2), Fraction(13, 20), Fraction(4, 5))
"""At which share of a window's free space its target may begin."""
FINE = ((2, 3, 4), (-2, 2, 4), (-4, -2, 2), (-4, -3, -2))
"""Offsets of wrong instants in quarters of a second, by the place of the right one."""
COARSE = ((1, 2, 3), (-1, 1, 2), (-2, -1, 1), (-3, -2, -1))
"""The same in steps of twice the resolution."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Times of one chain.

    Attributes:
        windows: of Q1, Q2 and Q3.
        segments: four stretches, ascending; ``segment`` is the right one.
        why: reason of each wrong segment.
        instants: four instants, ascending; the event's onset is the right one.
        spacing_us: least distance of two instants that were asked for.
        iou: of the right segment and what Q2 is about.
    """

    windows: tuple[Stretch, Stretch, Stretch]
    segment: Stretch
    segments: tuple[Stretch, ...]
    why: dict[Stretch, str]
    instants: tuple[int, ...]
    spacing_us: int
    grid_us: int
    iou: Fraction
    coarse: bool


def schedule(event: Event, video: Video, coarse_too: bool, key: Key) -> Schedule | Refused:
    """The times of a chain about an event, or why there are none."""
    coarse = 2 * event.resolution_us > HALF_US
    if coarse and not coarse_too:
        return Refused(Code.RESOLUTION, "times are known too coarsely for options half a second "
                       "apart, and the template takes no others")  # fmt: skip
    found = _segment(event, coarse)
    if isinstance(found, Refused):
        return found
    segment, grid, iou = found
    broad = _broad(event, segment, video, key)
    if isinstance(broad, Refused):
        return broad
    chosen = _segments(event, segment, broad, key)
    if isinstance(chosen, Refused):
        return chosen
    instants = _instants(event, video, coarse, key)
    if isinstance(instants, Refused):
        return instants
    spacing = 2 * event.resolution_us if coarse else HALF_US
    segments = tuple(sorted([segment, *chosen]))
    middle = _around((segments[0][0], segments[-1][1]), EDGE_US, WIDTHS_US[1], broad,
                     key.extended("Q2"))  # fmt: skip
    hull = (min(instants[0], event.onset_us if event.from_us is None else event.from_us),
            instants[-1])  # fmt: skip
    narrow = _around(hull, HALF_US, WIDTHS_US[2], (0, video.duration_us), key.extended("Q3"))
    out = Schedule((broad, middle, narrow), segment, segments, chosen, instants, spacing, grid,
                   iou, coarse)  # fmt: skip
    return _shrinking(out, event) or out


def _shrinking(times: Schedule, event: Event) -> Refused | None:
    """Why the windows are not right, None where they are."""
    widths = [end - start for start, end in times.windows]
    if not widths[0] > widths[1] > widths[2]:
        return Refused(Code.INCOHERENT, "the windows would not become narrower: the event is too "
                       "long for its recording, or too coarsely known")  # fmt: skip
    (_, (a, b), (c, d)) = times.windows
    strictly = a < times.segment[0] and times.segment[1] < b and c < event.onset_us < d
    inside = c <= times.instants[0] and times.instants[-1] <= d
    if not strictly or not inside:
        return Refused(Code.INCOHERENT, "the answer would lie at the edge of its window: the event "
                       "is too near the recording's beginning or end")  # fmt: skip
    return None


def stage_target(event: Event, coarse: bool) -> Stretch:
    """What Q2's segment must cover: the event, its opening, or the bin that holds a point."""
    start, end = event.target
    if start == end:
        wide = max(SECOND_US, 2 * event.resolution_us if coarse else 0)
        first = start // wide * wide
        return first, first + wide
    return (start, end) if end - start <= LONG_US else (start, start + OPENING_US)


def overlap(one: Stretch, other: Stretch) -> Fraction:
    """Temporal IoU of two half-open stretches; 0 where they do not overlap."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    if shared <= 0:
        return Fraction(0)
    return Fraction(shared, max(one[1], other[1]) - min(one[0], other[0]))


def _segment(event: Event, coarse: bool) -> tuple[Stretch, int, Fraction] | Refused:
    """The right segment: the target rounded outward to the coarsest grid that fits."""
    start, end = stage_target(event, coarse)
    if coarse and end - start < 2 * event.resolution_us:
        return Refused(Code.RESOLUTION, "the event is shorter than its labels can tell")
    for grid in GRIDS_US:
        if coarse and grid < event.resolution_us:
            break
        segment = start // grid * grid, -(-end // grid) * grid
        iou = overlap(segment, (start, end))
        if iou > LEAST_IOU:
            return segment, grid, iou
    return Refused(Code.RESOLUTION, "no segment on a grid fits the event well enough")


def _broad(event: Event, segment: Stretch, video: Video, key: Key) -> Stretch | Refused:
    """Q1's window."""
    start, end = event.whole
    wide = max(WIDTHS_US[0], 5 * (segment[1] - segment[0]) + 4 * SECOND_US)
    if end - start > BROAD_US:
        wide = max(wide, end - start + BROAD_US)
    if wide > video.duration_us:
        return Refused(Code.TOO_SHORT, "the recording is shorter than the first question's window")
    broad = _placed((start, end), wide, (0, video.duration_us), key.extended("Q1"))
    if not broad[0] < start or not end < broad[1]:
        return Refused(Code.INCOHERENT, "the answer would lie at the edge of its window: the event "
                       "is too near the recording's beginning or end")  # fmt: skip
    for reason, (first, last) in event.guards:
        if first < broad[1] and last > broad[0]:
            return Refused(Code.GATE, reason)
    return broad


def _placed(held: Stretch, wide: int, limits: Stretch, key: Key) -> Stretch:
    """A window of a width around something, at a drawn place, moved to stay in its limits."""
    share = PLACES[key.choose([str(place) for place in PLACES])]
    free = wide - (held[1] - held[0])
    start = held[0] - (share.numerator * free) // share.denominator
    start = max(limits[0], min(start, limits[1] - wide))
    return start, start + wide


def _around(held: Stretch, margin: int, least: int, limits: Stretch, key: Key) -> Stretch:
    wide = max(least, held[1] - held[0] + margin)
    return _placed(held, wide, limits, key)


def _segments(
    event: Event, segment: Stretch, broad: Stretch, key: Key
) -> dict[Stretch, str] | Refused:
    """Three wrong segments, each with its reason; the right one's place is drawn."""
    busy = [event.target, *event.same]
    wide = segment[1] - segment[0]

    def free(one: Stretch) -> bool:
        # A segment at the window's very edge would leave the answer no room there.
        inside = broad[0] <= one[0] and one[1] <= broad[1]
        return inside and not any(one[0] < b and one[1] > a for a, b in busy)

    places = key.extended("place").ordered([str(k) for k in range(WRONG + 1)])
    starts = [a // SECOND_US * SECOND_US for a, _ in event.related]
    # Segments of other events are fairer, where they are near enough for a narrower window.
    for related in ([(a, a + wide) for a in starts], []):
        before = _side(segment, -wide, [r for r in related if r[1] <= segment[0]], free)
        after = _side(segment, wide, [r for r in related if r[0] >= segment[1]], free)
        for place in map(int, places):
            chosen = dict([*before[:place], *after[: WRONG - place]])
            if len(before) >= place and len(chosen) == WRONG and _near(segment, chosen, broad):
                return chosen
    return Refused(Code.TOO_FEW_OPTIONS, "fewer than three segments of that length are free of "
                   "the event in the first question's window")  # fmt: skip


def _near(segment: Stretch, chosen: Iterable[Stretch], broad: Stretch) -> bool:
    """Whether all four fit into a window that is narrower than Q1's."""
    ends = [time for one in (segment, *chosen) for time in one]
    return max(ends) - min(ends) + EDGE_US < broad[1] - broad[0]


def _side(
    segment: Stretch,
    step: int,
    related: Sequence[Stretch],
    free: Callable[[Stretch], bool],
) -> list[tuple[Stretch, str]]:
    """Free segments on one side, disjoint, the fairest first."""
    out: list[tuple[Stretch, str]] = []
    near = (segment[0] + step, segment[1] + step)
    if step < 0 and free(near):
        out.append((near, "preparatory"))
    options = [(one, "related_action") for one in related]
    options += [((segment[0] + step * k, segment[1] + step * k), "other_segment")
                for k in range(1, 2 * WRONG + 1)]  # fmt: skip
    for one, why in options:
        if free(one) and not any(one[0] < b and one[1] > a for (a, b), _ in out):
            out.append((one, why))
    return out


def _instants(event: Event, video: Video, coarse: bool, key: Key) -> tuple[int, ...] | Refused:
    """Four instants, one of them the onset; which of them is drawn."""
    for place in key.extended("instant").ordered([str(k) for k in range(WRONG + 1)]):
        found = sorted([event.onset_us, *_others(event, video, coarse, int(place))])
        if found[0] < 0 or found[-1] >= video.duration_us:
            continue
        near = max(event.resolution_us, HALF_US // 2)
        wrong = [time for time in found if time != event.onset_us]
        if not any(abs(time - other) < near for time in wrong for other in event.also):
            return tuple(found)
    return Refused(Code.TOO_FEW_OPTIONS, "wrong instants would lie outside the recording, or at "
                   "another beginning of the same")  # fmt: skip


def _others(event: Event, video: Video, coarse: bool, place: int) -> Iterator[int]:
    if coarse:
        for steps in COARSE[place]:
            yield event.onset_us + steps * 2 * event.resolution_us
        return
    frame = us_to_frame(event.onset_us, video.fps)
    for quarters in FINE[place]:
        steps = _frames(abs(quarters), video.fps) * (1 if quarters > 0 else -1)
        away = frame_to_us(frame + steps, video.fps) - frame_to_us(frame, video.fps)
        yield event.onset_us + away


def _frames(quarters: int, fps: Fraction) -> int:
    """So many quarters of a second in frames: the nearest number from 0.5 to 1 s."""
    exact = Fraction(quarters, 4) * fps
    frames = (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)
    least = -(-fps.numerator // (2 * fps.denominator))
    most = fps.numerator // fps.denominator
    return max(least, min(frames, most))

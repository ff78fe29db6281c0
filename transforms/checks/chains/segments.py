"""Q2: the right segment covers its event, the wrong ones hold nothing of it."""

from __future__ import annotations

from fractions import Fraction

from transforms.checks.chains.base import HALF_US, Q2, SECOND_US, Chain, Stretch, Truth, meets
from transforms.checks.chains.names import span, span_in

LONG_US = 8 * SECOND_US
OPENING_US = 5 * SECOND_US
"""Of an event longer than the one, Q2 asks for so much of its beginning."""
GRIDS_US = (SECOND_US, HALF_US, SECOND_US // 10)
LEAST_IOU = Fraction(7, 10)


def overlap(one: Stretch, other: Stretch) -> Fraction:
    """Intersection over union of two half-open stretches, 0 where they only touch."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return Fraction(shared, max(one[1], other[1]) - min(one[0], other[0])) if shared > 0 else _ZERO


_ZERO = Fraction(0)


def stage_target(target: Stretch, resolution_us: int) -> Stretch:
    """What the right segment must cover: the event, its opening, or the bin that holds a point.

    A bin is a second wide, or twice the resolution where that is too coarse for half seconds.
    """
    start, end = target
    if start < end:
        return (start, end) if end - start <= LONG_US else (start, start + OPENING_US)
    wide = max(SECOND_US, 2 * resolution_us if 2 * resolution_us > HALF_US else 0)
    return start // wide * wide, start // wide * wide + wide


def segment_of(target: Stretch, resolution_us: int) -> tuple[Stretch, int] | None:
    """The right segment, and its grid: the coarsest on which it covers its target well enough."""
    start, end = stage_target(target, resolution_us)
    for grid in GRIDS_US:
        found = start // grid * grid, -(-end // grid) * grid
        if overlap(found, (start, end)) > LEAST_IOU:
            return found, grid
    return None


def segment_problems(chain: Chain, truth: Truth) -> None:
    """Note everything that is wrong with Q2's answer and options."""
    resolution = max(truth.resolutions)
    wanted = segment_of(truth.target, resolution)
    if wanted is None:
        chain.note("answer_undecided", Q2, f"no grid fits the event {list(truth.target)}")
        return
    stored = chain.values[Q2].get("interval_us")
    told = _stretch(stored)
    if told is None or set(chain.values[Q2]) != {"interval_us"}:
        chain.note("slots_malformed", Q2, f"answer value {chain.values[Q2]}")
        return
    cover = overlap(told, stage_target(truth.target, resolution))
    if cover <= LEAST_IOU:
        chain.note("segment_misses", Q2, f"{stored}: IoU {float(cover):.3f} with the event")
    elif told != wanted[0]:
        chain.note("answer_differs", Q2, f"stored {stored}, recomputed {list(wanted[0])}")
    if chain.right(Q2) != span(told):
        chain.note("option_false", Q2, f"{chain.right(Q2)!r}: the answer is {span(told)}")
    _wrong(chain, truth, span_in(chain.right(Q2)) or told)


def _stretch(found: object) -> Stretch | None:
    match found:
        case [int(start), int(end)] if start < end:
            return start, end
    return None


def _wrong(chain: Chain, truth: Truth, right: Stretch) -> None:
    """Wrong segments hold nothing of the event, and are like the right one beside."""
    seen = [right]
    for text, is_right in chain.texts(Q2):
        found = span_in(text)
        if found is None:
            chain.note("option_unreadable", Q2, repr(text))
            continue
        if is_right:
            continue
        true = [one for one in (truth.target, *truth.same) if meets(found, one)]
        if true:
            chain.note("option_true", Q2, f"{text} meets {[list(one) for one in true]}")
        elif any(meets(found, other) for other in seen):
            chain.note("segments_unfair", Q2, f"{text} overlaps another option")
        elif found[1] - found[0] != right[1] - right[0]:
            chain.note("segments_unfair", Q2, f"{text} is not as long as the right one")
        seen.append(found)

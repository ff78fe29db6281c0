"""Q3: the exact instant, or the place at that instant; wrong ones as far away as agreed."""

from __future__ import annotations

from typing import Any

from transforms.checks.chains.base import HALF_US, PRINTED_US, Q3, SECOND_US, Chain, Truth
from transforms.checks.chains.names import box_in, boxes_near, clock, printed, time_in
from transforms.checks.compare import TOLERANCE, difference
from transforms.checks.evidence import Box

MOST_IOU = 0.1
STEPS = (1, 2, 3)
"""Wrong instants of a coarse chain are so many times its spacing away."""


def with_box(stored: Any, expected: dict[str, Any], truth: Truth) -> dict[str, Any]:
    """The expected value, with the box of the evidence where the stored one has a box."""
    told = stored.get("box_xyxy") if isinstance(stored, dict) else None
    if told is None:
        return expected
    near = [list(box) for box in truth.boxes if _same(told, box)]
    place = told if near else next(map(list, truth.boxes), None)
    return {**expected, "box_xyxy": place}


def _same(told: Any, box: Box) -> bool:
    numbers = isinstance(told, list) and all(isinstance(edge, int | float) for edge in told)
    return (
        numbers
        and len(told) == len(box)
        and all(abs(a - b) <= TOLERANCE for a, b in zip(told, box, strict=True))
    )


def instant_problems(chain: Chain, truth: Truth) -> None:
    """Note everything that is wrong with Q3's answer and options."""
    stored = chain.values[Q3]
    wrong = difference(stored, with_box(stored, {"time_us": truth.time_us}, truth))
    if wrong:
        chain.note("answer_differs", Q3, wrong)
    if not isinstance(stored.get("time_us"), int):
        return
    if "box_xyxy" in stored:
        _boxes(chain, truth)
    else:
        _instants(chain, truth, stored["time_us"])


def _instants(chain: Chain, truth: Truth, time_us: int) -> None:
    for text, is_right in chain.texts(Q3):
        found = time_in(text)
        if found is None:
            chain.note("option_unreadable", Q3, repr(text))
        elif is_right:
            told = clock(time_us)
            chain.note("option_false", Q3, f"{text}: the answer is {told}", text != told)
        elif not fair_gap(chain, abs(found - truth.time_us)):
            chain.note("instants_unfair", Q3, f"{text}: it is at {clock(truth.time_us)}")
        elif is_onset(found, truth):
            chain.note("option_true", Q3, f"{text}: it begins there as well")


def fair_gap(chain: Chain, gap_us: int) -> bool:
    """A wrong instant is as far from the right one as its scale asks for, as printed."""
    if chain.coarse:
        steps = (step * chain.spacing_us for step in STEPS)
        return any(abs(gap_us - step) <= PRINTED_US for step in steps)
    return HALF_US - PRINTED_US <= gap_us <= SECOND_US + PRINTED_US


def is_onset(time_us: int, truth: Truth) -> bool:
    """The same begins at this time as well, as far as is known."""
    near = max(truth.resolution_us, PRINTED_US)
    return any(abs(time_us - other) < near for other in truth.also)


def _boxes(chain: Chain, truth: Truth) -> None:
    right = [printed(box) for box in truth.boxes]
    for text, is_right in chain.texts(Q3):
        found = box_in(text)
        if found is None:
            chain.note("option_unreadable", Q3, repr(text))
        elif is_right:
            chain.note("option_false", Q3, f"{text}: it is at {right}", found not in right)
        elif not fair_box(found, truth):
            chain.note("boxes_unfair", Q3, f"{text}: it is at {right}")


def fair_box(found: tuple[int, ...], truth: Truth) -> bool:
    """A wrong box is as large as the right one and hardly overlaps it, as printed."""
    return any(
        _overlap(found, right) < MOST_IOU
        and abs((found[2] - found[0]) - (right[2] - right[0])) <= 1
        and abs((found[3] - found[1]) - (right[3] - right[1])) <= 1
        for right in map(printed, truth.boxes)
    )


def _overlap(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    if wide <= 0 or high <= 0:
        return 0.0
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return wide * high / (areas - wide * high)


def is_right_box(found: tuple[int, ...], truth: Truth) -> bool:
    """A printed box is the one of the evidence."""
    return boxes_near(found, truth.boxes)

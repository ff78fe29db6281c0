"""Choose the instants of a window at which frames are shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

from ontology.errors import UserError
from ontology.times import SECOND_US, round_half_up


def frame_times(
    start_us: int, end_us: int, every_us: int, named_us: Iterable[int] = ()
) -> tuple[int, ...]:
    """start, start + every, ... up to end, and end itself: [0, 5] by 2 gives 0, 2, 4, 5.

    Args:
        every_us: above 0.
        named_us: additional instants; those between start and end are included.

    Returns:
        Strictly ascending times in microseconds, none after ``end_us``.

    Raises:
        ValueError: the window ends before it starts, or the step is not above 0.
    """
    if end_us < start_us or every_us <= 0:
        raise ValueError(f"no frames from {start_us} to {end_us} by {every_us}")
    wanted = {end_us, *(time for time in named_us if start_us <= time <= end_us)}
    return tuple(sorted(wanted.union(range(start_us, end_us + 1, every_us))))


def step_us(text: str) -> int:
    """Microseconds of a step given in seconds, such as ``2`` or ``0.5``.

    Raises:
        UserError: not a number, or less than a microsecond.
    """
    try:
        step = round_half_up(Fraction(text) * SECOND_US)
    except (ValueError, ZeroDivisionError):
        step = 0
    if step <= 0:
        raise UserError(
            "the distance between frames is invalid",
            expected="seconds above 0, such as 2 or 0.5",
            found=text,
            where="--every",
        )
    return step


def thinned(count: int, most: int | None, asked: Collection[int] = ()) -> Sequence[int]:
    """Choose which of ``count`` frames to keep if at most ``most`` are allowed.

    Frames that the question names come first, evenly spread if not all of them fit.  Then the last
    frame, which shows the present, the first frame, and repeatedly the middle of the widest gap.
    Without named frames, all are spread evenly.

    Args:
        asked: indices in ``range(count)`` of the named frames.
    """
    if most is None or count <= most:
        return range(count)
    if not asked:
        return _spread(count, most)
    wanted = sorted(asked)
    if len(wanted) >= most:
        return [wanted[place] for place in _spread(len(wanted), most)]
    kept = set(wanted)
    for end in (count - 1, 0):
        if len(kept) < most:
            kept.add(end)
    while len(kept) < most:
        ends = sorted(kept)
        gaps = ((b - a, -a) for a, b in pairwise(ends))
        width, begin = max(gaps, default=(0, 0))
        kept.add(-begin + width // 2)
    return sorted(kept)


def _spread(count: int, most: int) -> list[int]:
    if most == 1:
        return [count - 1]
    return [round_half_up(Fraction(i * (count - 1), most - 1)) for i in range(most)]

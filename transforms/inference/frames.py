"""At which instants a window is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ontology.errors import UserError
from ontology.times import SECOND_US, round_half_up


def frame_times(start_us: int, end_us: int, every_us: int) -> tuple[int, ...]:
    """start, start + every, ... up to end, and end itself: [0, 5] by 2 gives 0, 2, 4, 5.

    Args:
        every_us: above 0.

    Returns:
        Strictly ascending times in microseconds, none after ``end_us``.

    Raises:
        ValueError: the window ends before it starts, or the step is not above 0.
    """
    if end_us < start_us or every_us <= 0:
        raise ValueError(f"no frames from {start_us} to {end_us} by {every_us}")
    times = tuple(range(start_us, end_us + 1, every_us))
    return times if times[-1] == end_us else (*times, end_us)


def step_us(text: str) -> int:
    """Microseconds of a step given in seconds, such as ``2`` or ``0.5``.

    Raises:
        UserError: no number, or less than a microsecond.
    """
    try:
        step = round_half_up(Fraction(text) * SECOND_US)
    except (ValueError, ZeroDivisionError):
        step = 0
    if step <= 0:
        raise UserError(
            "pictures cannot be taken in such steps",
            expected="seconds above 0, such as 2 or 0.5",
            found=text,
            where="--every",
        )
    return step


def thinned(count: int, most: int | None) -> Sequence[int]:
    """Which of ``count`` pictures are kept where at most ``most`` may be: evenly spread.

    The last one, which shows the present, is always among them, and the first one where
    two may be.
    """
    if most is None or count <= most:
        return range(count)
    if most == 1:
        return (count - 1,)
    return [round_half_up(Fraction(i * (count - 1), most - 1)) for i in range(most)]

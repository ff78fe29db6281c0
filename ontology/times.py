"""Exact time: integer microseconds and rational frame rates.

Intervals are half-open: ``[start_us, end_us)``.  Frame k at rate r is the instant k / r, rounded
half up to whole microseconds.  Index and rate are stored too, so that the exact time is not lost.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

SECOND_US = 1_000_000
_EXACT = 1e9
"""From this value on, a float's shortest form can have fewer than the five decimals printed."""
_WIDE = Context(prec=400)


def round_half_up(value: Fraction) -> int:
    """Return the nearest integer; exact halves go up (towards plus infinity)."""
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


def frame_to_us(index: int, fps: Fraction) -> int:
    """Return the start of frame ``index`` (from 0) in microseconds."""
    return round_half_up(Fraction(index * SECOND_US) / fps)


def us_to_frame(time_us: int, fps: Fraction) -> int:
    """Return the index of the frame with the start nearest to ``time_us`` (inverts frame_to_us).

    The inverse is exact below 500,000 fps, where two frames never share a microsecond.
    """
    return round_half_up(Fraction(time_us) * fps / SECOND_US)


def period_us(fps: Fraction) -> int:
    """Return the nominal time between two frames in microseconds."""
    return round_half_up(Fraction(SECOND_US) / fps)


def print_seconds(time_us: int, decimals: int = 2) -> str:
    """Return seconds with fixed decimals, halves away from zero: 1_005_000 -> '1.01'."""
    step = 10 ** (6 - decimals)
    rounded = (abs(time_us) + step // 2) // step
    whole, rest = divmod(rounded, 10**decimals)
    sign = "-" if time_us < 0 and rounded else ""
    return f"{sign}{whole}.{rest:0{decimals}d}" if decimals else f"{sign}{whole}"


def print_number(value: float, decimals: int) -> str:
    """Return a finite number with up to five decimals, halves away from zero, never '-0.00'.

    The float's shortest decimal form is rounded, so 0.125 prints as '0.13'.
    """
    shortest = repr(float(value))
    tie = shortest[-1] == "5" and len(shortest) - shortest.find(".") == decimals + 2
    if tie or not -_EXACT < value < _EXACT:
        # Formatting would round halves of the binary value to even, and print its last digits.
        step = Decimal(1).scaleb(-decimals)
        text = f"{Decimal(shortest).quantize(step, ROUND_HALF_UP, _WIDE):f}"
    else:
        text = f"{value:.{decimals}f}"
    return text[1:] if text[0] == "-" and not text.strip("-0.") else text

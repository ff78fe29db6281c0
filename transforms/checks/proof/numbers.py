"""Formats numbers, times and boxes for texts. Halves are rounded away from zero."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import Any

SECOND_US = 1_000_000
_EXACT = Context(prec=400, rounding=ROUND_HALF_UP)


@lru_cache(maxsize=1 << 14, typed=True)
def fixed(value: float | Decimal, places: int) -> str:
    """Return a number with this many decimals; zero has no sign.

    A float is rounded from its shortest decimal form, so that 0.125 with two places gives 0.13.
    """
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    text = f"{exact.quantize(Decimal(1).scaleb(-places), context=_EXACT):f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


@lru_cache(maxsize=1 << 14)
def seconds(time_us: int) -> str:
    """Return microseconds as seconds with two decimals."""
    return f"{fixed(Decimal(time_us).scaleb(-6), 2)} s"


def box(corners: Sequence[float]) -> str:
    """Return the text of a box such as "[120, 80, 400, 560]", from fractions of the frame."""
    return f"[{', '.join(fixed(corner * 1000, 0) for corner in corners)}]"


def when(value: Any) -> int:
    """Return the time of an instant as printed, in microseconds."""
    return int(value["time_us"] if isinstance(value, dict) else value)


def amount(value: Any) -> Any:
    """Return the value of a number or duration as printed."""
    return value["value"] if isinstance(value, dict) else value

"""Times and boxes as the files contain them: seconds and pixels, without loss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import orjson

from surgqa.ontology.times import SECOND_US, frame_to_us, round_half_up, us_to_frame

SIZE = (1000, 1000)
"""Size to which boxes are scaled if the size of the frames is unknown."""
RATES = tuple(Fraction(text) for text in ("30", "25", "24", "50", "60", "30000/1001", "60000/1001"))
_FINE = 10**6
Row = Mapping[str, Any]


def seconds(time_us: int) -> int | float:
    """Return whole microseconds as seconds with up to six decimals."""
    return time_us // SECOND_US if time_us % SECOND_US == 0 else time_us / SECOND_US


def rate_text(rate: Fraction) -> int | str:
    """Return a frame rate as text: ``30`` or ``30000/1001``."""
    return rate.numerator if rate.denominator == 1 else str(rate)


def rate_of(video: Row, keys: Iterable[tuple[int, int]]) -> Fraction:
    """The frame rate for frame numbers: the video's, or a usual rate if only that fits all keys.

    Annotations may count seconds while the key frames of an anomaly count frames.

    Args:
        keys: frame number and time in microseconds of each key frame.
    """
    own, known = Fraction(video["fps_num"], video["fps_den"]), list(keys)
    for rate in (own, *RATES):
        if all(frame_to_us(frame, rate) == time for frame, time in known):
            return rate
    return own


def frame_at(time_us: int, rate: Fraction) -> int | None:
    """Return the number of the frame that begins exactly at a time; None if none does."""
    frame = us_to_frame(time_us, rate)
    return frame if frame_to_us(frame, rate) == time_us else None


def pixels(row: Row, size: tuple[int, int]) -> list[Any] | None:
    """Return [x, y, width, height] in pixels, from which the corners follow exactly, or None."""
    if row["x1"] is None:
        return None
    width, height = size
    left, right = (_pixel(row[name], width) for name in ("x1", "x2"))
    top, bottom = (_pixel(row[name], height) for name in ("y1", "y2"))
    return [_number(side) for side in (left, top, right - left, bottom - top)]


def known_size(video: Row) -> tuple[int, int]:
    """Width and height in pixels that boxes refer to."""
    return (video["width"], video["height"]) if video["width"] and video["height"] else SIZE


def _pixel(share: float, side: int) -> Fraction:
    """A corner in pixels: rounded to a millionth if that converts back exactly, else exact."""
    exact = Fraction(repr(share)) * side
    rounded = Fraction(round_half_up(exact * _FINE), _FINE)
    return rounded if float(rounded / side) == share else exact


def _number(value: Fraction) -> Any:
    """Return a JSON number with all its digits; every value here is a finite decimal."""
    if value.denominator == 1:
        return value.numerator
    digits = 0
    while 10**digits % value.denominator:
        digits += 1
    whole = value.numerator * (10**digits // value.denominator)
    return orjson.Fragment(f"{Decimal(whole).scaleb(-digits):f}")


def lines(value: Any) -> bytes:
    """JSON text in which each object of a list has its own line."""
    if not _deep(value):
        return orjson.dumps(value)
    if isinstance(value, dict):
        parts = [orjson.dumps(key) + b": " + lines(inner) for key, inner in value.items()]
        return b"{" + b",\n".join(parts) + b"}"
    return b"[\n" + b",\n".join(map(lines, value)) + b"\n]"


def _deep(value: Any) -> bool:
    """True if the value contains a list of objects."""
    if isinstance(value, dict):
        return any(map(_deep, value.values()))
    return isinstance(value, list) and any(isinstance(inner, dict) for inner in value)

"""Check the values in SurgCoT's published JSON, one function for each type.

Numbers with a decimal point must be :class:`~decimal.Decimal`, as from ``json.loads`` with
``parse_float=Decimal``, so that no digit is lost.  ``what`` names the value in messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from surgqa.ontology.records import Code

_DIGITS = 15
Box = tuple[float, float, float, float]
BoxXywh = tuple[Fraction, Fraction, Fraction, Fraction]
"""Left, top, width, height in pixels."""


class Unfit(Exception):
    """An entry must be left out; the error holds a code and a sentence with the reason."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(code, reason)
        self.code, self.reason = code, reason


def objects(found: Any, what: str) -> Sequence[Mapping[str, Any]]:
    """Return the value as a list of objects; a missing value counts as an empty list."""
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(part, Mapping) for part in found):
        raise Unfit(Code.BAD_ROW, f"{what} is not a list of objects")
    return found


def word(found: Any, what: str) -> str | None:
    """Return the value as text, if it is text or a number; None for a missing value."""
    if found is None or found == "":
        return None
    if isinstance(found, bool) or not isinstance(found, str | int | Decimal):
        raise Unfit(Code.BAD_ROW, f"{what} is neither text nor a number")
    return str(found)


def frame_number(found: Any, what: str) -> int:
    """Return the value as an integer of 0 or more."""
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < 10**_DIGITS:
        raise Unfit(Code.BAD_FRAME, f"{what} is not a frame number: {found!r:.40}")
    return found


def number(found: Any, what: str) -> Fraction:
    """Return the exact value of a number that is neither too large nor too small."""
    plain = isinstance(found, int | Decimal) and not isinstance(found, bool)
    # A huge exponent would become a fraction with a huge number of digits.
    if not plain or not -_DIGITS < Decimal(found).adjusted() < _DIGITS:
        raise Unfit(Code.BAD_ROW, f"{what} is not a number: {found!r:.40}")
    return Fraction(found)


def box_xywh(found: Any, width: int, height: int) -> tuple[BoxXywh, bool]:
    """Return the box [x, y, width, height] in pixels, clipped to the frame; and whether it was."""
    if not isinstance(found, list) or len(found) != 4:
        raise Unfit(Code.BAD_BOX, f"a box is [x, y, width, height]: {found!r:.80}")
    x, y, w, h = (number(value, "a box's value") for value in found)
    left, top = max(x, Fraction(0)), max(y, Fraction(0))
    right, bottom = min(x + w, Fraction(width)), min(y + h, Fraction(height))
    if w <= 0 or h <= 0 or right <= left or bottom <= top:
        raise Unfit(
            Code.BAD_BOX, f"a box is empty inside the frame: {[float(v) for v in (x, y, w, h)]}"
        )
    box = (left, top, right - left, bottom - top)
    return box, box != (x, y, w, h)


def unit_box(box: BoxXywh, width: int, height: int) -> Box:
    """Return the corners in [0, 1] of a box in pixels."""
    x, y, w, h = box
    return float(x / width), float(y / height), float((x + w) / width), float((y + h) / height)

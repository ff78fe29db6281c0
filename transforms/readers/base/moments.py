"""Convert times in user-supplied tables to exact seconds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from surgqa.ontology.sections import Section, fraction

ORDER = "order"
"""Frame numbers that state only the order of the frames, not their time."""
UNITS = ("seconds", "milliseconds", "clock", "frames", ORDER)
EXCLUSIVE, INCLUSIVE = "exclusive", "inclusive"
FIRST, EITHER = "first", "either"
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d{1,2})(?:[.,](\d{1,9}))?")


@dataclass(frozen=True, slots=True)
class TimeFormat:
    """The time format of a table.

    Attributes:
        unit: one of UNITS.
        base: number of the first frame, 0 or 1. ``first`` and ``either``: it is 1 if the smallest
            frame number in a video's files is 1; with ``first``, the ledger then says so.
        inclusive: whether the instant that is stated as the end belongs to the interval.
        rate: frames per second of frame numbers; None to use the rate of the video.
        whole: whether times with decimals are invalid.
    """

    unit: str = "seconds"
    base: int | str = 0
    inclusive: bool = False
    rate: Fraction | None = None
    whole: bool = False

    @property
    def frames(self) -> bool:
        """Whether times are frame numbers."""
        return self.unit in ("frames", ORDER)

    def at(self, text: str, rate: Fraction) -> Fraction | None:
        """Return the time in seconds; the video's ``rate`` is used if the table states none."""
        if self.unit == "clock":
            return clock(text)
        value = fraction(text)
        if value is None or (self.frames or self.whole) and value.denominator != 1:
            return None
        if self.frames:
            return (value - int(self.base)) / (self.rate or rate)
        return value / 1000 if self.unit == "milliseconds" else value

    def end(self, text: str, rate: Fraction) -> Fraction | None:
        """Return the same as :meth:`at`, for an interval's end; the result is always exclusive."""
        value = self.at(text, rate)
        if value is None or not self.inclusive:
            return value
        if self.frames:
            return value + 1 / (self.rate or rate)
        return value + (Fraction(1, 1000) if self.unit == "milliseconds" else 1)


def scale_of(section: Section, usual: str = "seconds") -> TimeFormat:
    """Return the time format stated under ``time:`` of a table.

    Args:
        usual: the unit if none is stated.

    Raises:
        UserError: an entry is invalid; the error names file and line.
    """
    time = section.section("time").closed(("unit", "base", "end", "rate", "whole"))
    unit = time.choice("unit", UNITS, usual)
    for key in ("base", "rate"):
        if key in time.data and unit != "frames":
            time.wrong(key, "unit: frames", summary=f"{key} is for frame numbers", found=unit)
    end = time.choice("end", (EXCLUSIVE, INCLUSIVE), EXCLUSIVE)
    shown = time.data.get("base") in (FIRST, EITHER)
    base = time.word("base") if shown else time.whole("base", (0, 1), 0)
    return TimeFormat(unit, base, end == INCLUSIVE, time.rate("rate"), time.flag("whole", False))


def clock(text: str) -> Fraction | None:
    """Return ``1:02:03.5``, ``02:03`` or ``00:02:03,500`` as seconds; None for anything else."""
    found = _CLOCK.fullmatch(text.strip())
    if not found:
        return None
    hours, minutes, seconds, parts = found.groups()
    if int(seconds) > 59 or hours is not None and int(minutes) > 59:
        return None
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return Fraction(whole) + Fraction(f"0.{parts or 0}")

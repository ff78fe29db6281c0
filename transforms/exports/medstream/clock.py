"""Times in the form in which a row states them: seconds with three decimals, frame numbers, or
none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from surgqa.transforms.inference.windows import TimeScale, scale_of

MS_US = 1000


@dataclass(frozen=True, slots=True)
class TickClock:
    """Counts the times of one item in whole ticks: milliseconds, frames, or none for a still.

    Durations are differences of ticks, so that they agree with the printed times.
    """

    scale: TimeScale

    @property
    def unit(self) -> str:
        """``sec``, ``frame`` or ``image``."""
        return self.scale.unit

    def ticks(self, time_us: int) -> int:
        """Return a time of the video in ticks, halves rounded up."""
        if self.unit == "image":
            return 0
        if self.unit == "frame":
            return time_us // self.scale.period_us
        return (time_us + MS_US // 2) // MS_US

    def printed(self, ticks: int | None) -> float | None:
        """Return ticks as printed; None stays None."""
        if ticks is None:
            return None
        return ticks / 1000 if self.unit == "sec" else float(ticks)


def clock_of(row: dict[str, Any], clock: str, period_us: int) -> TickClock:
    """Return the clock of an item, derived from that of its video."""
    return TickClock(scale_of(row, clock, period_us))

"""The box of an anomaly between its key frames, computed exactly (SurgCoT).

x, y, width and height change linearly with the frame number.  They are fractions, and are rounded
half up only when they are printed.  There is no box before the first or after the last key frame.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ontology.times import round_half_up

BoxXywh = tuple[Fraction, Fraction, Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class KeyFrame:
    """The annotation of an anomaly at one frame.

    Attributes:
        frame: the frame's number.
        box_xywh: left, top, width, height in pixels.
        size: word for the size, or None.
        state: ``warning``, ``present``, ``controlled``, or None.
    """

    frame: int
    box_xywh: BoxXywh
    size: str | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True)
class Evolution:
    """At least one key frame, in strictly ascending order of the frame numbers."""

    keys: tuple[KeyFrame, ...]

    def box_at(self, frame: int) -> BoxXywh | None:
        """The exact box at a frame; None before the first and after the last key frame."""
        before = self._before(frame)
        if before is None:
            return None
        old = self.keys[before]
        if frame == old.frame:
            return old.box_xywh
        new = self.keys[before + 1]
        share = Fraction(frame - old.frame, new.frame - old.frame)
        pairs = zip(old.box_xywh, new.box_xywh, strict=True)
        x, y, w, h = (a + (b - a) * share for a, b in pairs)
        return x, y, w, h

    def size_at(self, frame: int) -> str | None:
        """The size stated last, at or before a frame; None outside the key frames."""
        return self._held(frame, [key.size for key in self.keys])

    def state_at(self, frame: int) -> str | None:
        """The state stated last, at or before a frame; None outside the key frames."""
        return self._held(frame, [key.state for key in self.keys])

    def growth(self, start: int, end: int) -> Fraction | None:
        """Area at frame ``end`` divided by that at ``start``; None if one is outside the keys."""
        old, new = self.box_at(start), self.box_at(end)
        if old is None or new is None:
            return None
        return (new[2] * new[3]) / (old[2] * old[3])

    def _before(self, frame: int) -> int | None:
        """Index of the last key frame at or before ``frame``; None outside the key frames."""
        if not self.keys or not self.keys[0].frame <= frame <= self.keys[-1].frame:
            return None
        return bisect_right(self.keys, frame, key=lambda key: key.frame) - 1

    def _held(self, frame: int, values: list[str | None]) -> str | None:
        before = self._before(frame)
        if before is None:
            return None
        return next((v for v in reversed(values[: before + 1]) if v is not None), None)


def printed(box_xywh: BoxXywh) -> tuple[int, int, int, int]:
    """The box in whole pixels, rounded half up."""
    x, y, w, h = (round_half_up(value) for value in box_xywh)
    return x, y, w, h


def check_onset(
    onset_frame: int, fps: Fraction, onset_time: Fraction | Decimal | float | int
) -> bool:
    """Whether the frame and the stated time of an onset differ by at most half a frame.

    Args:
        onset_time: seconds; a float means its shortest decimal form.
    """
    stated = Fraction(str(onset_time)) if isinstance(onset_time, float) else Fraction(onset_time)
    return abs(Fraction(onset_frame) / fps - stated) * 2 * fps <= 1

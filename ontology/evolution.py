"""The region of an anomaly between its key frames, computed exactly (SurgCoT).

x, y, width and height are linear in the frame number, as fractions, and rounded half up only when
printed.  There is no region before the first and after the last key frame.
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
    """The statements about one frame.

    Attributes:
        frame: its number.
        box_xywh: pixels: left, top, width, height.
        size: word for the size, or None.
        state: warning, present, controlled, or None.
    """

    frame: int
    box_xywh: BoxXywh
    size: str | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True)
class Evolution:
    """Key frames in strictly ascending order of their numbers; at least one."""

    keys: tuple[KeyFrame, ...]

    def box_at(self, frame: int) -> BoxXywh | None:
        """The exact box, or None outside the key frames."""
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
        """The size stated last before or at a frame, None outside the key frames."""
        return self._held(frame, [key.size for key in self.keys])

    def state_at(self, frame: int) -> str | None:
        """The state stated last before or at a frame, None outside the key frames."""
        return self._held(frame, [key.state for key in self.keys])

    def growth(self, start: int, end: int) -> Fraction | None:
        """Area at one frame divided by the area at an earlier frame; None outside."""
        old, new = self.box_at(start), self.box_at(end)
        if old is None or new is None:
            return None
        return (new[2] * new[3]) / (old[2] * old[3])

    def _before(self, frame: int) -> int | None:
        """The last key frame before or at ``frame``, None outside."""
        if not self.keys or not self.keys[0].frame <= frame <= self.keys[-1].frame:
            return None
        return bisect_right(self.keys, frame, key=lambda key: key.frame) - 1

    def _held(self, frame: int, values: list[str | None]) -> str | None:
        before = self._before(frame)
        if before is None:
            return None
        return next((v for v in reversed(values[: before + 1]) if v is not None), None)


def printed(box_xywh: BoxXywh) -> tuple[int, int, int, int]:
    """Whole pixels, halves up."""
    x, y, w, h = (round_half_up(value) for value in box_xywh)
    return x, y, w, h


def check_onset(
    onset_frame: int, fps: Fraction, onset_time: Fraction | Decimal | float | int
) -> bool:
    """Whether frame and stated time of an onset agree within half a frame.

    Args:
        onset_time: seconds; a float counts as its shortest decimal form.
    """
    stated = Fraction(str(onset_time)) if isinstance(onset_time, float) else Fraction(onset_time)
    return abs(Fraction(onset_frame) / fps - stated) * 2 * fps <= 1

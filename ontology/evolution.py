"""The frame and the time of an anomaly's onset."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction


def check_onset(
    onset_frame: int, fps: Fraction, onset_time: Fraction | Decimal | float | int
) -> bool:
    """Return whether the frame and the stated time of an onset differ by at most half a frame.

    Args:
        onset_time: seconds; a float means its shortest decimal form.
    """
    stated = Fraction(str(onset_time)) if isinstance(onset_time, float) else Fraction(onset_time)
    return abs(Fraction(onset_frame) / fps - stated) * 2 * fps <= 1

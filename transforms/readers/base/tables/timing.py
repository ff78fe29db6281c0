"""The frames of a video to which the times of labels belong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from surgqa.ontology.times import SECOND_US, frame_to_us, period_us, round_half_up, us_to_frame


@dataclass(frozen=True, slots=True)
class Timing:
    """Converts the times of one video to instants.

    Attributes:
        fps: frames per second of the video. Every instant is the time of a frame.
        duration_us: length of the recording; None if only the labels show it.
    """

    fps: Fraction
    duration_us: int | None

    def frame(self, time: Fraction) -> int:
        """Return the frame of the recording that is nearest to a time."""
        frame = us_to_frame(round_half_up(time * SECOND_US), self.fps)
        while self.duration_us is not None and frame_to_us(frame, self.fps) >= self.duration_us:
            frame -= 1
        return frame

    def period(self, frames: Sequence[int], every: Fraction | None) -> int:
        """Return microseconds between two frames: ``every`` seconds, else the most common gap."""
        if every is not None:
            return round_half_up(every * SECOND_US)
        gaps = Counter(int(gap) for gap in np.diff(np.array(frames, dtype=np.int64)))
        if not gaps:
            return period_us(self.fps)
        most = max(gaps.values())
        return frame_to_us(min(gap for gap, n in gaps.items() if n == most), self.fps)

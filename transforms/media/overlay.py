"""Draw boxes and a clock onto a frame, for people who view an export."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from surgqa.ontology.times import print_seconds

COLOURS = ((255, 200, 0), (0, 200, 255), (255, 90, 160), (120, 255, 120), (200, 150, 255))
"""RGB colours, by the index of a label among the sorted labels of the overlay."""
WHITE, BLACK = (255, 255, 255), (0, 0, 0)
FONT = cv2.FONT_HERSHEY_SIMPLEX


@dataclass(frozen=True, slots=True, order=True)
class DrawnBox:
    """A box with its label, drawn on frames in [start, end) of the video.

    Attributes:
        box_xyxy: shares of width and height.
    """

    start_us: int
    end_us: int
    label: str
    box_xyxy: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, order=True)
class Overlay:
    """The boxes and the clock that are drawn on a frame.

    Attributes:
        zero_us: the video's time at which the clock shows 0.
        marks: the boxes, sorted.
    """

    zero_us: int
    marks: tuple[DrawnBox, ...] = ()


def drawn(picture: np.ndarray, overlay: Overlay | None, time_us: int) -> np.ndarray:
    """Return a frame with the boxes of its time and the clock.

    Args:
        picture: uint8 (H, W, 3) RGB; it is not changed.
        time_us: time in the video.
    """
    if overlay is None:
        return picture
    out = np.ascontiguousarray(picture).copy()
    height, width = out.shape[:2]
    scale = max(0.3, height / 720)
    thick = max(1, round(2 * scale))
    labels = sorted({one.label for one in overlay.marks})
    for one in overlay.marks:
        if one.start_us <= time_us < one.end_us:
            colour = COLOURS[labels.index(one.label) % len(COLOURS)]
            corners = np.rint(np.array(one.box_xyxy) * [width, height, width, height]).astype(int)
            x1, y1, x2, y2 = corners.tolist()
            cv2.rectangle(out, (x1, y1), (x2 - 1, y2 - 1), colour, thick)
            _text(out, one.label.replace("_", " "), (x1, max(y1 - thick, 12)), scale, colour)
    clock = f"{print_seconds(time_us - overlay.zero_us)} s"
    _text(out, clock, (thick * 2, height - thick * 3), scale, WHITE)
    return out


def _text(
    out: np.ndarray, text: str, place: tuple[int, int], scale: float, colour: tuple[int, int, int]
) -> None:
    """Draw text with a dark edge, so that it can be read on any tissue."""
    thick = max(1, round(2 * scale))
    cv2.putText(out, text, place, FONT, scale, BLACK, thick * 3, cv2.LINE_AA)
    cv2.putText(out, text, place, FONT, scale, colour, thick, cv2.LINE_AA)

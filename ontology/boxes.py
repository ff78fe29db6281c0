"""Boxes ``box_xyxy``: float64 (x1, y1, x2, y2) in [0, 1] of width and height.

x increases to the right, y downwards.  Distances are Euclidean between centres in these
normalised coordinates (at most the square root of two), without correction for the aspect ratio.
"""

from __future__ import annotations

import numpy as np

from surgqa.ontology.times import print_number

Box = tuple[float, float, float, float]
GRID = 1000


def pixel_box(x1: float, y1: float, x2: float, y2: float, width: int, height: int) -> Box | None:
    """Return the box in [0, 1] of width and height, from any two opposite corners in pixels.

    Returns None if the part inside the image has no area.
    """
    left, right = sorted((x1 / width, x2 / width))
    top, bottom = sorted((y1 / height, y2 / height))
    return clipped_box((left, top, right, bottom))


def clipped_box(box: Box) -> Box | None:
    """Return the part of a box that lies inside the image; None if that part has no area."""
    x1, y1, x2, y2 = map(float, box)
    if not (0.0 <= x1 <= x2 <= 1.0 and 0.0 <= y1 <= y2 <= 1.0):
        x1, y1, x2, y2 = (min(max(value, 0.0), 1.0) for value in (x1, y1, x2, y2))
    return (x1, y1, x2, y2) if x1 < x2 and y1 < y2 else None


def centres(box_xyxy: np.ndarray) -> np.ndarray:
    """Return centres (..., 2) of (..., 4) boxes."""
    return (box_xyxy[..., :2] + box_xyxy[..., 2:]) / 2


def distance(a_xy: np.ndarray, b_xy: np.ndarray) -> np.ndarray:
    """Return the Euclidean distance between (..., 2) points.

    The distance is computed as the square root of a sum of squares, not with ``hypot``. IEEE 754
    defines the last bit of a square root on every machine, but not of ``hypot``.
    """
    delta = a_xy - b_xy
    return np.sqrt(delta[..., 0] * delta[..., 0] + delta[..., 1] * delta[..., 1])


def iou(a_xyxy: np.ndarray, b_xyxy: np.ndarray) -> np.ndarray:
    """Return the intersection over union of (..., 4) boxes; 0 if they do not overlap."""
    low = np.maximum(a_xyxy[..., :2], b_xyxy[..., :2])
    high = np.minimum(a_xyxy[..., 2:], b_xyxy[..., 2:])
    sides = np.clip(high - low, 0.0, None)
    inner = sides[..., 0] * sides[..., 1]
    union = area(a_xyxy) + area(b_xyxy) - inner
    return np.where(inner > 0, inner / np.where(union > 0, union, 1.0), 0.0)


def area(box_xyxy: np.ndarray) -> np.ndarray:
    """Return areas of (..., 4) boxes as shares of the frame."""
    return (box_xyxy[..., 2] - box_xyxy[..., 0]) * (box_xyxy[..., 3] - box_xyxy[..., 1])


def print_box(box_xyxy, decimals: int = 0) -> str:
    """Return the text of a box on the 0-1000 grid, such as '[154, 387, 344, 477]'."""
    return "[" + ", ".join(print_number(v * GRID, decimals) for v in box_xyxy) + "]"

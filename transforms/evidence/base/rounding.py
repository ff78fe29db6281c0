"""Round the output of models, so that tiny differences between machines disappear.

Boxes are rounded to a hundredth of a pixel, scores to four decimals.  A value on the edge of a
rounding step can still differ between machines.  Therefore questions are made from the stored
evidence and never from a model directly.
"""

from __future__ import annotations

import numpy as np

SCORE_DECIMALS = 4
PIXEL_PARTS = 100


def rounded(values: np.ndarray | float, decimals: int) -> np.ndarray:
    """Return float64, with halves rounded to the nearest even number; never -0.0."""
    return np.round(np.asarray(values, dtype=np.float64), decimals) + 0.0


def round_score(values: np.ndarray | float) -> np.ndarray:
    """Return scores and probabilities, rounded to four decimals."""
    return rounded(values, SCORE_DECIMALS)


def round_box(box_px: np.ndarray, width: int, height: int) -> np.ndarray:
    """Round (N, 4) corners in pixels to hundredths of a pixel, scale to [0, 1] and clip.

    Returns:
        float64 (N, 4) normalised boxes.
    """
    size = np.array([width, height, width, height], dtype=np.float64)
    box = np.asarray(box_px, dtype=np.float64).reshape(-1, 4)
    hundredths = np.clip(np.rint(box * PIXEL_PARTS), 0, size * PIXEL_PARTS)
    return hundredths / (size * PIXEL_PARTS)

"""Rounding what models compute, so that last bits do not travel between machines.

Boxes to a hundredth of a pixel, scores to four decimals.  A value on the edge of a
rounding step can still fall either way on another machine, which is why questions are
made from the store and never from the model.
"""

from __future__ import annotations

import numpy as np

SCORE_DECIMALS = 4
PIXEL_PARTS = 100


def rounded(values: np.ndarray | float, decimals: int) -> np.ndarray:
    """float64, halves away from the nearest even; never -0.0."""
    return np.round(np.asarray(values, dtype=np.float64), decimals) + 0.0


def round_score(values: np.ndarray | float) -> np.ndarray:
    """Scores and probabilities, four decimals."""
    return rounded(values, SCORE_DECIMALS)


def round_box(box_px: np.ndarray, width: int, height: int) -> np.ndarray:
    """(N, 4) corners in pixels to hundredths of a pixel, then to [0, 1], clipped.

    Returns:
        float64 (N, 4) normalised boxes.
    """
    size = np.array([width, height, width, height], dtype=np.float64)
    box = np.asarray(box_px, dtype=np.float64).reshape(-1, 4)
    hundredths = np.clip(np.rint(box * PIXEL_PARTS), 0, size * PIXEL_PARTS)
    return hundredths / (size * PIXEL_PARTS)

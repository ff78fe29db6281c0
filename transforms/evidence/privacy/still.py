"""Find overlays that stand still while the scene moves: labels, clocks, logos; needs no weights."""

from __future__ import annotations

import cv2
import numpy as np

from surgqa.transforms.evidence.base import rounded
from surgqa.transforms.evidence.privacy.settings import StillSettings

SHARE_DECIMALS = 4


def still_share(grey: np.ndarray, settings: StillSettings) -> float | None:
    """Share of the image under still overlays, in [0, 1]; None if it cannot be decided.

    Args:
        grey: uint8 (B, 180, 320), the trusted frames of one batch.
    """
    boxes = still_boxes(grey, settings)
    if boxes is None:
        return None
    under = np.zeros(grey.shape[1:], dtype=bool)
    for x1, y1, x2, y2 in boxes:
        under[y1:y2, x1:x2] = True
    return float(rounded(np.count_nonzero(under) / under.size, SHARE_DECIMALS))


def still_boxes(grey: np.ndarray, settings: StillSettings) -> np.ndarray | None:
    """Boxes with sharp strokes that stand still in a batch whose scene moves.

    Args:
        grey: uint8 (B, H, W), the trusted frames of one batch, reduced.

    Returns:
        int64 (N, 4), corners x1, y1, x2, y2 in pixels of the reduced frames, from the top left.
        None if it cannot be decided: too few frames, or nothing moves.
    """
    if len(grey) < settings.samples:
        return None
    low, high = grey.min(axis=0), grey.max(axis=0)
    still = high - low <= settings.spread
    lit = high >= settings.lit
    if np.count_nonzero(lit & ~still) < settings.moving * max(1, np.count_nonzero(lit)):
        return None
    strokes = _strokes(low, high, settings) & still
    if np.count_nonzero(strokes) < settings.least:  # computing the rim takes most of the time
        return np.zeros((0, 4), np.int64)
    strokes &= ~_rim(high, settings)
    return _grouped(strokes, settings)


def _strokes(low: np.ndarray, high: np.ndarray, settings: StillSettings) -> np.ndarray:
    """Return bool (H, W): edges of strokes, whose contrast is strong in every frame."""
    cell = np.ones((3, 3), np.uint8)
    bright = cv2.dilate(low, cell).astype(np.int16)
    dark = cv2.erode(high, cell).astype(np.int16)
    return bright - dark >= settings.edge


def _rim(high: np.ndarray, settings: StillSettings) -> np.ndarray:
    """The zone around the edge of the endoscope's dark surround, which stands as still as text."""
    dark = (high < settings.lit).astype(np.uint8)
    side = cv2.getStructuringElement(cv2.MORPH_RECT, (settings.close, settings.close))
    ring = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * settings.rim + 1,) * 2)
    # Add a dark border, so that the surround is closed along the edge of the image too.
    padded = cv2.copyMakeBorder(dark, *(settings.close,) * 4, cv2.BORDER_CONSTANT, value=1)
    surround = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, side)
    surround = cv2.morphologyEx(surround, cv2.MORPH_OPEN, side)
    edge = cv2.morphologyEx(surround, cv2.MORPH_GRADIENT, ring) > 0
    return edge[settings.close : -settings.close, settings.close : -settings.close]


def _grouped(strokes: np.ndarray, settings: StillSettings) -> np.ndarray:
    reach = np.ones((3, settings.reach), np.uint8)
    joined = cv2.morphologyEx(strokes.astype(np.uint8), cv2.MORPH_CLOSE, reach)
    count, labels, places, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    sizes = np.bincount(labels[strokes], minlength=count)
    boxes = []
    for index in range(1, count):
        x, y, width, height = (int(v) for v in places[index][:4])
        enough = sizes[index] >= settings.least
        dense = sizes[index] >= settings.density * width * height
        if enough and dense and height <= settings.tallest:
            boxes.append((y, x, y + height, x + width))
    ordered = np.array(sorted(boxes), dtype=np.int64).reshape(-1, 4)
    return ordered[:, [1, 0, 3, 2]]

"""Make regions of an image unreadable; this cannot be undone."""

from __future__ import annotations

import cv2
import numpy as np

LEVELS = 256


def blur(picture: np.ndarray, boxes: np.ndarray, cells: int = 4, levels: int = 16) -> np.ndarray:
    """A copy of the image in which the boxes keep only a few coarse colours.

    Each box is averaged over square cells, ``cells`` of them along its short side.  The cells'
    colours are rounded to ``levels`` steps, and the cells are smoothed into each other.  About
    cells x cells x (long side / short side) colours remain of a box.

    Args:
        picture: uint8 (H, W, 3); it is not changed.
        boxes: (N, 4), corners x1, y1, x2, y2 in pixels; x2 and y2 are exclusive.
        cells: at least 1.
        levels: 2 to 256.

    Returns:
        uint8 (H, W, 3); the same bytes outside the boxes.
    """
    result = picture.copy()
    cv2.setNumThreads(1)
    for x1, y1, x2, y2 in np.asarray(boxes, dtype=np.int64).reshape(-1, 4):
        region = picture[y1:y2, x1:x2]
        if region.size:
            result[y1:y2, x1:x2] = _coarse(region, cells, levels)
    return result


def _coarse(region: np.ndarray, cells: int, levels: int) -> np.ndarray:
    height, width = region.shape[:2]
    cell = max(1, -(-min(height, width) // cells))
    grid = (-(-width // cell), -(-height // cell))
    small = cv2.resize(region, grid, interpolation=cv2.INTER_AREA).astype(np.int64)
    step = LEVELS // levels
    small = np.minimum(small // step * step + step // 2, LEVELS - 1).astype(np.uint8)
    large = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    return large.reshape(region.shape)


def erase(picture: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """A copy of the image in which the boxes contain only a smooth blend of their surroundings.

    Used for text.  No pixel of the box itself is used, so the text cannot be restored, and no bar
    remains that a reader or a detector could mistake for a line of text.  At the edge of the image,
    a side without surroundings is left out.

    Args:
        picture: uint8 (H, W, 3); it is not changed.
        boxes: (N, 4), corners x1, y1, x2, y2 in pixels; x2 and y2 are exclusive.
    """
    result = picture.copy()
    cv2.setNumThreads(1)
    for x1, y1, x2, y2 in np.asarray(boxes, dtype=np.int64).reshape(-1, 4).tolist():
        if x2 > x1 and y2 > y1:
            result[y1:y2, x1:x2] = _blend(result, x1, y1, x2, y2)
    return result


def _blend(picture: np.ndarray, x1: int, y1: int, x2: int, y2: int) -> np.ndarray:
    """Blend the lines beside a box, if inside the image; weights fall with squared distance."""
    height, width = picture.shape[:2]
    down = np.arange(y2 - y1, dtype=np.float64)[:, None]
    across = np.arange(x2 - x1, dtype=np.float64)[None, :]
    sides = []
    if y1 > 0:
        sides.append((down + 1 + 0 * across, picture[y1 - 1, x1:x2][None]))
    if y2 < height:
        sides.append((y2 - y1 - down + 0 * across, picture[y2, x1:x2][None]))
    if x1 > 0:
        sides.append((across + 1 + 0 * down, picture[y1:y2, x1 - 1][:, None]))
    if x2 < width:
        sides.append((x2 - x1 - across + 0 * down, picture[y1:y2, x2][:, None]))
    blended = np.zeros((y2 - y1, x2 - x1, 3))
    whole = np.zeros((y2 - y1, x2 - x1, 1))
    reach = min(y2 - y1, x2 - x1)
    for distance, line in sides:
        weight = (1.0 / distance**2)[..., None]
        blended += weight * _soft(line, reach)
        whole += weight
    return np.rint(blended / np.maximum(whole, 1e-12)).astype(np.uint8)


def _soft(line: np.ndarray, reach: int) -> np.ndarray:
    """A line of surrounding pixels, smoothed so that it has no sharp changes."""
    size = (min(2 * reach + 1, 2 * line.shape[1] - 1), min(2 * reach + 1, 2 * line.shape[0] - 1))
    return cv2.blur(line.astype(np.float64), size, borderType=cv2.BORDER_REPLICATE)

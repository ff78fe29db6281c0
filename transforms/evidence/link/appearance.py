"""Appearance of a boxed object in 80 bytes: colour and edge histograms of the box's four quarters.

Everything is computed with integers, so the same image gives the same bytes on every machine.  A
crop is sampled on a grid of points and not resized, because OpenCV's resizing differs between
builds.  A point is shared between neighbouring bins according to its position between them.  With
hard borders, moving light would shift whole areas from one bin to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

GRID = 32
"""Points that are sampled along each side of a box."""

QUARTERS = 2
"""Cells along each side."""

HUES, SATURATIONS, VALUES, EDGES = 8, 4, 4, 4
"""Number of bins of a cell; hues and edge directions are circular."""

BYTES = QUARTERS * QUARTERS * (HUES + SATURATIONS + VALUES + EDGES)
"""D, the length of a descriptor."""

COLOURED = 32
"""Minimum saturation (of 255) at which a hue has a meaning; below it, hue is sensor noise."""

EDGE_STEP = 24
"""Minimum sum of absolute grey steps (of 255) across two points that counts as an edge."""

PART = 16
"""A point's weight, shared between two neighbouring bins."""


def describe_all(
    pictures: Sequence[np.ndarray], boxes_xyxy_px: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """Return descriptors of the boxes in each image.

    Args:
        pictures: uint8 (H, W, 3) each, red, green, blue.
        boxes_xyxy_px: for each image (N, 4), corners in pixels; parts outside it are cut off.

    Returns:
        For each image uint8 (N, ``BYTES``); all zero for a box outside the image.
    """
    crops, inside = [], []
    for picture, boxes in zip(pictures, boxes_xyxy_px, strict=True):
        crop, there = _crops(picture, np.asarray(boxes, dtype=np.float64).reshape(-1, 4))
        crops.append(crop)
        inside.append(there)
    where = np.concatenate([np.zeros(0, bool), *inside])
    found = np.zeros((len(where), BYTES), dtype=np.uint8)
    if where.any():
        # All boxes at once: with so few points, numpy's cost per call would dominate.
        found[where] = _histograms(np.concatenate(crops))
    return np.split(found, np.cumsum([len(one) for one in inside])[:-1])


def _crops(picture: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return pixels of M boxes, uint8 (M, GRID, GRID, 3), without boxes outside the image.

    The second result, bool (N,), is True for these M boxes.
    """
    height, width = picture.shape[:2]
    low = np.floor(boxes[:, :2]).astype(np.int64).clip(0, (width, height))
    high = np.ceil(boxes[:, 2:]).astype(np.int64).clip(0, (width, height))
    inside = (high > low).all(axis=1)
    steps = 2 * np.arange(GRID) + 1
    size = high[inside] - low[inside]
    columns = low[inside, 0, None] + steps * size[:, 0, None] // (2 * GRID)
    rows = low[inside, 1, None] + steps * size[:, 1, None] // (2 * GRID)
    return picture[rows[:, :, None], columns[:, None, :]], inside


def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Differences in appearance between two sets of descriptors.

    Args:
        a: uint8 (K, D).
        b: uint8 (N, D).

    Returns:
        float64 (K, N) in [0, 1]: sum of absolute differences divided by the sum of both; NaN if
        either descriptor is all zero, because then the appearance is unknown.
    """
    left, right = a.astype(np.int64), b.astype(np.int64)
    unlike = np.abs(left[:, None] - right[None]).sum(axis=2)
    mass_left, mass_right = left.sum(axis=1), right.sum(axis=1)
    both = (mass_left[:, None] > 0) & (mass_right[None] > 0)
    total = np.where(both, mass_left[:, None] + mass_right[None], 1)
    return np.where(both, unlike / total, np.nan)


def _histograms(crops: np.ndarray) -> np.ndarray:
    """Convert uint8 (M, GRID, GRID, 3) crops to uint8 (M, BYTES)."""
    # One contiguous int32 array per channel: interleaved channels or int64 take twice as long.
    red, green, blue = np.ascontiguousarray(crops.transpose(3, 0, 1, 2), dtype=np.int32)
    value = np.maximum(np.maximum(red, green), blue)
    chroma = value - np.minimum(np.minimum(red, green), blue)
    saturation = chroma * 255 // np.maximum(value, 1)
    hue = _hue(red, green, blue, value, chroma)
    direction, edge = _edges((red + green + blue) // 3)
    parts = (
        _bins(hue, _shares(1536, HUES, True), saturation >= COLOURED),
        _bins(saturation, _shares(256, SATURATIONS, False)),
        _bins(value, _shares(256, VALUES, False)),
        _bins(direction, _shares(1024, EDGES, True), edge),
    )
    return np.concatenate(parts, axis=2).reshape(len(crops), BYTES)


def _hue(
    red: np.ndarray, green: np.ndarray, blue: np.ndarray, value: np.ndarray, chroma: np.ndarray
) -> np.ndarray:
    """Hue on a circle of 1536 steps, 256 for each of six sectors."""
    of_red, of_green = value == red, value == green
    offset = np.where(of_red, 0, np.where(of_green, 512, 1024))
    rise = np.where(of_red, green - blue, np.where(of_green, blue - red, red - green))
    return (offset + rise * 256 // np.maximum(chroma, 1)) % 1536


def _edges(grey: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the direction of the grey step on a half circle of 1024, and whether there is a step.

    The direction is the position along the diamond |x| + |y| = 1, which needs no arc tangent.
    """
    across, down = np.zeros_like(grey), np.zeros_like(grey)
    across[:, :, 1:-1] = grey[:, :, 2:] - grey[:, :, :-2]
    down[:, 1:-1] = grey[:, 2:] - grey[:, :-2]
    turned = (down < 0) | ((down == 0) & (across < 0))
    across, down = np.where(turned, -across, across), np.where(turned, -down, down)
    size = np.abs(across) + down
    along = down * 512 // np.maximum(size, 1)
    return np.where(across >= 0, along, 1024 - along) % 1024, size >= EDGE_STEP


@cache
def _shares(span: int, count: int, circle: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return how points at positions in [0, span) are shared between bins.

    Returns:
        intp (span,), for each position a row number of the second array; int64 (codes, count), the
        weight that a point adds to each bin. The last row is all 0, for points that do not count.
    """
    place = np.arange(span)
    twice = 2 * place * count - span
    lower = twice // (2 * span)
    upper_part = (twice - lower * 2 * span) * PART // (2 * span)
    weights = np.zeros((span, count), np.int64)
    for bins, part in ((lower, PART - upper_part), (lower + 1, upper_part)):
        bins = bins % count if circle else bins.clip(0, count - 1)
        weights[place, bins] += part
    different, code = np.unique(weights, axis=0, return_inverse=True)
    return code.reshape(-1), np.vstack([different, np.zeros(count, np.int64)])


def _bins(
    place: np.ndarray, shares: tuple[np.ndarray, np.ndarray], counted: np.ndarray | None = None
) -> np.ndarray:
    """Return a histogram of each quarter of each box: uint8 (M, cells, bins).

    Args:
        place: (M, GRID, GRID), position of each point in the range of :func:`_shares`.
        shares: the result of :func:`_shares`.
        counted: bool (M, GRID, GRID), points that count; None for all.
    """
    code_of, weights = shares
    codes, bins = weights.shape
    code = code_of[place]
    if counted is not None:
        code = np.where(counted, code, codes - 1)
    cells, side = QUARTERS * QUARTERS, np.arange(GRID) * QUARTERS // GRID
    cell = np.arange(len(place))[:, None, None] * cells + side[:, None] * QUARTERS + side
    found = np.bincount((cell * codes + code).reshape(-1), minlength=len(place) * cells * codes)
    sums = found.reshape(-1, codes) @ weights
    return np.minimum(sums // PART, 255).astype(np.uint8).reshape(len(place), cells, bins)

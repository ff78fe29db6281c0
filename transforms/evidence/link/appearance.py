"""What a boxed thing looks like, in 80 bytes: colour and edge histograms of four quarters.

Whole numbers only, so that the same picture gives the same bytes on every machine.  A
crop is looked at on a grid of points and not resized: OpenCV's resizing differs between
builds.  Neighbouring bins share a point by its place between them, because under moving
light a hard border flips whole areas from one bin to the next.
"""

from __future__ import annotations

import numpy as np

GRID = 32
"""Points looked at along each side of a box."""

QUARTERS = 2
"""Cells along each side."""

HUES, SATURATIONS, VALUES, EDGES = 8, 4, 4, 4
"""Bins of a cell; hues and edge directions are circles."""

BYTES = QUARTERS * QUARTERS * (HUES + SATURATIONS + VALUES + EDGES)
"""D, the length of a descriptor."""

COLOURED = 32
"""Least saturation (of 255) at which a hue means anything: below, it is sensor noise."""

EDGE_STEP = 24
"""Least sum of absolute grey steps (of 255) across two points that counts as an edge."""

PART = 16
"""A point's weight, shared between two neighbouring bins."""


def describe(picture: np.ndarray, boxes_xyxy_px: np.ndarray) -> np.ndarray:
    """Descriptors of boxes in one picture.

    Args:
        picture: uint8 (H, W, 3), red, green, blue.
        boxes_xyxy_px: (N, 4) corners in pixels; parts outside of the picture are cut off.

    Returns:
        uint8 (N, ``BYTES``); all zero for a box that lies outside of the picture.
    """
    boxes = np.asarray(boxes_xyxy_px, dtype=np.float64).reshape(-1, 4)
    found = np.zeros((len(boxes), BYTES), dtype=np.uint8)
    height, width = picture.shape[:2]
    low = np.floor(boxes[:, :2]).astype(np.int64).clip(0, (width, height))
    high = np.ceil(boxes[:, 2:]).astype(np.int64).clip(0, (width, height))
    inside = np.flatnonzero((high > low).all(axis=1))
    if len(inside):
        steps = 2 * np.arange(GRID) + 1
        size = high[inside] - low[inside]
        columns = low[inside, 0, None] + steps * size[:, 0, None] // (2 * GRID)
        rows = low[inside, 1, None] + steps * size[:, 1, None] // (2 * GRID)
        found[inside] = _histograms(picture[rows[:, :, None], columns[:, None, :]])
    return found


def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How unlike two sets of descriptors look.

    Args:
        a: uint8 (K, D).
        b: uint8 (N, D).

    Returns:
        float64 (K, N) in [0, 1]: absolute differences over sums; NaN where either
        descriptor is all zero, for then nothing was seen.
    """
    left, right = a.astype(np.int64), b.astype(np.int64)
    unlike = np.abs(left[:, None] - right[None]).sum(axis=2)
    mass_left, mass_right = left.sum(axis=1), right.sum(axis=1)
    both = (mass_left[:, None] > 0) & (mass_right[None] > 0)
    total = np.where(both, mass_left[:, None] + mass_right[None], 1)
    return np.where(both, unlike / total, np.nan)


def _histograms(crops: np.ndarray) -> np.ndarray:
    """uint8 (M, GRID, GRID, 3) crops to uint8 (M, BYTES)."""
    colour = crops.astype(np.int64)
    value, least = colour.max(axis=3), colour.min(axis=3)
    saturation = (value - least) * 255 // np.maximum(value, 1)
    direction, edge = _edges(colour.sum(axis=3) // 3)
    parts = (
        _bins(_hue(colour, value, least), 1536, HUES, saturation >= COLOURED, circle=True),
        _bins(saturation, 256, SATURATIONS, None, circle=False),
        _bins(value, 256, VALUES, None, circle=False),
        _bins(direction, 1024, EDGES, edge, circle=True),
    )
    whole = np.concatenate(parts, axis=2)
    return whole.reshape(len(crops), BYTES)


def _hue(colour: np.ndarray, value: np.ndarray, least: np.ndarray) -> np.ndarray:
    """Hue on a circle of 1536 steps, 256 for each of six sectors."""
    red, green, blue = colour[..., 0], colour[..., 1], colour[..., 2]
    chroma = np.maximum(value - least, 1)
    offset = np.where(value == red, 0, np.where(value == green, 512, 1024))
    rise = np.where(value == red, green - blue, np.where(value == green, blue - red, red - green))
    return (offset + rise * 256 // chroma) % 1536


def _edges(grey: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Direction of the grey step on a half circle of 1024, and where there is a step.

    The direction is the place along the diamond |x| + |y| = 1, which needs no arc tangent.
    """
    across, down = np.zeros_like(grey), np.zeros_like(grey)
    across[:, :, 1:-1] = grey[:, :, 2:] - grey[:, :, :-2]
    down[:, 1:-1] = grey[:, 2:] - grey[:, :-2]
    turned = (down < 0) | ((down == 0) & (across < 0))
    across, down = np.where(turned, -across, across), np.where(turned, -down, down)
    size = np.abs(across) + down
    along = down * 512 // np.maximum(size, 1)
    return np.where(across >= 0, along, 1024 - along) % 1024, size >= EDGE_STEP


def _bins(
    place: np.ndarray, span: int, count: int, counted: np.ndarray | None, circle: bool
) -> np.ndarray:
    """Histograms of (M, GRID, GRID) places in [0, span) by quarter; (M, cells, count)."""
    twice = 2 * place * count - span
    lower = twice // (2 * span)
    upper_part = (twice - lower * 2 * span) * PART // (2 * span)
    upper = lower + 1
    if circle:
        lower, upper = lower % count, upper % count
    else:
        lower, upper = lower.clip(0, count - 1), upper.clip(0, count - 1)
    side = GRID // QUARTERS
    quarter = np.arange(GRID) // side
    cell = quarter[:, None] * QUARTERS + quarter[None, :]
    crop = np.arange(len(place))[:, None, None] * QUARTERS * QUARTERS
    base = (crop + cell) * count
    on = np.ones(place.shape, dtype=bool) if counted is None else counted
    bins = len(place) * QUARTERS * QUARTERS * count
    keys = np.concatenate([(base + lower)[on], (base + upper)[on]])
    weights = np.concatenate([(PART - upper_part)[on], upper_part[on]])
    # Weights are whole and their sums small, so float64 counts are exact.
    sums = np.bincount(keys, weights=weights, minlength=bins).astype(np.int64)
    quantised = np.minimum(sums // PART, 255).astype(np.uint8)
    return quantised.reshape(len(place), QUARTERS * QUARTERS, count)

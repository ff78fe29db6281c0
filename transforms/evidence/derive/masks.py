"""Run-length masks as pixel rows: their far ends and their distance from a box.

Distances are in units: x in frame widths, y in frame heights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from surgqa.transforms.evidence.derive.tracks import BoxTrack

CHUNK = 2048
"""Masks decoded at a time; they take some tens of megabytes."""


@dataclass(frozen=True, slots=True, eq=False)
class Strips:
    """Horizontal strips of foreground; S strips of several masks, sorted by mask.

    Attributes:
        mask: int64 (S,), index of the mask among the requested ones.
        box: float64 (S, 4), each strip as a box one pixel high, in [0, 1].
    """

    mask: np.ndarray
    box: np.ndarray


def rows_of(masks: pa.Table, track: BoxTrack) -> np.ndarray:
    """Return int64 (N,): for each sample of a track, the row of its mask in ``masks``, or -1.

    A mask belongs to a track if its object number is the track number, its label is the track's,
    and the boxes overlap, since the two kinds of numbers may have nothing to do with each other.
    """
    found = np.full(len(track.time_us), -1, np.int64)
    number = masks["object"].to_numpy()
    mine = np.flatnonzero(number == track.number)
    labels = masks["label"].take(pa.array(mine)).to_pylist()
    mine = mine[np.array([label == track.label for label in labels], bool)]
    time = masks["time_us"].to_numpy()[mine]
    _, here, there = np.intersect1d(track.time_us, time, return_indices=True)
    rows = mine[there]
    names = ("x1", "y1", "x2", "y2")
    box = np.stack([masks[name].to_numpy()[rows] for name in names], axis=1)
    low = np.maximum(box[:, :2], track.box[here, :2])
    high = np.minimum(box[:, 2:], track.box[here, 2:])
    over = (low < high).all(axis=1)
    found[here[over]] = rows[over]
    return found


def strips(masks: pa.Table, rows: np.ndarray) -> Strips:
    """The strips of the masks at ``rows``; runs that continue in the next line are split there."""
    part = masks.select(["height", "width", "counts"]).take(pa.array(rows)).combine_chunks()
    height, width = part["height"].to_numpy(), part["width"].to_numpy()
    column = part["counts"].combine_chunks()
    lengths = column.flatten().to_numpy().astype(np.int64)
    sizes = column.value_lengths().to_numpy()
    owner = np.repeat(np.arange(len(rows)), sizes)
    starts = np.cumsum(sizes) - sizes
    ends = np.cumsum(lengths)
    before = ends - lengths
    base = np.repeat(before[np.minimum(starts, len(lengths) - 1)], sizes)
    inside = ((np.arange(len(lengths)) - starts[owner]) % 2 == 1) & (lengths > 0)
    owner, start, end = owner[inside], (before - base)[inside], (ends - base)[inside]
    return _by_line(owner, start, end, height.astype(np.int64), width.astype(np.int64))


def _by_line(
    owner: np.ndarray, start: np.ndarray, end: np.ndarray, height: np.ndarray, width: np.ndarray
) -> Strips:
    wide = width[owner]
    first, last = start // wide, (end - 1) // wide
    lines = last - first + 1
    owner, wide = np.repeat(owner, lines), np.repeat(wide, lines)
    line = np.arange(len(owner)) - np.repeat(np.cumsum(lines) - lines, lines)
    y = np.repeat(first, lines) + line
    left = np.maximum(np.repeat(start, lines) - y * wide, 0)
    right = np.minimum(np.repeat(end, lines) - y * wide, wide)
    high = height[owner]
    box = np.stack([left / wide, y / high, right / wide, (y + 1) / high], axis=1)
    return Strips(owner, box)


def distance_to(masks: pa.Table, rows: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Return float64 (M,): distance from each box (M, 4) to the mask in the same place of ``rows``.

    The distance to an empty mask is infinite.
    """
    least = np.full(len(rows), np.inf)
    for start in range(0, len(rows), CHUNK):
        piece = slice(start, start + CHUNK)
        parts = strips(masks, rows[piece])
        away = gap(box[piece][parts.mask], parts.box)
        np.minimum.at(least[piece], parts.mask, away)
    return least


def gap(a_xyxy: np.ndarray, b_xyxy: np.ndarray) -> np.ndarray:
    """Return the distance between (..., 4) boxes; 0 if they touch or overlap."""
    away = np.maximum(a_xyxy[..., :2] - b_xyxy[..., 2:], b_xyxy[..., :2] - a_xyxy[..., 2:])
    dx, dy = np.moveaxis(np.maximum(away, 0.0), -1, 0)
    return np.sqrt(dx * dx + dy * dy)


def entries(masks: pa.Table, rows: np.ndarray, border: float) -> np.ndarray:
    """Return float64 (M, 2): the middle of each mask's part at the frame's edge, or NaN."""
    sums = np.zeros((len(rows), 3))
    for start in range(0, len(rows), CHUNK):
        piece = slice(start, start + CHUNK)
        parts = strips(masks, rows[piece])
        for part in _edge_parts(parts.box, border):
            weight = np.prod(np.clip(part[:, 2:] - part[:, :2], 0.0, None), axis=1)
            middle = (part[:, :2] + part[:, 2:]) / 2
            for column, value in enumerate((weight, *(middle.T * weight))):
                sums[piece, column] += np.bincount(parts.mask, value, len(sums[piece]))
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[:, 1:] / sums[:, :1]


def _edge_parts(box: np.ndarray, border: float) -> list[np.ndarray]:
    """Return each box's part at the left edge, at the right edge, and at the top or bottom edge."""
    left, right, middle = box.copy(), box.copy(), box.copy()
    left[:, 2] = np.minimum(box[:, 2], border)
    right[:, 0] = np.maximum(box[:, 0], 1 - border)
    middle[:, 0] = np.maximum(box[:, 0], border)
    middle[:, 2] = np.minimum(box[:, 2], 1 - border)
    within = (box[:, 1] >= border) & (box[:, 3] <= 1 - border)
    middle[within, 2] = middle[within, 0]
    return [left, right, middle]


def far_ends(masks: pa.Table, rows: np.ndarray, entry_xy: np.ndarray) -> np.ndarray:
    """Return float64 (M, 2), the point of each mask farthest from where its shaft enters.

    Of equally far points, the first in reading order is taken. The result is NaN for an empty mask.
    """
    found = np.full((len(rows), 2), np.nan)
    for start in range(0, len(rows), CHUNK):
        piece = slice(start, start + CHUNK)
        parts = strips(masks, rows[piece])
        if not len(parts.mask):
            continue
        mid = (parts.box[:, 1] + parts.box[:, 3]) / 2
        ends = np.stack([parts.box[:, [0, 2]], np.stack([mid, mid], axis=1)], axis=2)
        away = ends - entry_xy[piece][parts.mask][:, None, :]
        far = (away * away).sum(axis=2)
        side = np.argmax(far, axis=1)
        point = np.take_along_axis(ends, side[:, None, None], axis=1)[:, 0]
        order = np.lexsort((np.arange(len(side)), -far.max(axis=1), parts.mask))
        owner, first = np.unique(parts.mask[order], return_index=True)
        found[piece][owner] = point[order][first]
    return found

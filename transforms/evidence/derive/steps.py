"""Differences between two frames: grey thumbnails, colour histograms, difference hashes.

A thumbnail is 64 x 36 bytes of grey, row by row.  A histogram is 16 hues x 16 saturations,
unsigned 16-bit little-endian, row by row, scaled to the sum 65535.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.transforms.evidence.base import rounded
from surgqa.transforms.evidence.derive.rows import DECIMALS

THUMB_WIDTH, THUMB_HEIGHT = 64, 36
HISTOGRAM_BINS = 256
_PIXELS = THUMB_WIDTH * THUMB_HEIGHT
_WHITE = 255
CHUNK = 4096
"""Pairs of frames compared at a time; they take some tens of megabytes."""


def luma_step(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Mean absolute difference of grey of thumbnails, uint8 (..., 2304), [0, 1]."""
    total = np.abs(a.astype(np.int16) - b).sum(axis=-1, dtype=np.int64)
    return rounded(total / (_PIXELS * _WHITE), DECIMALS)


def colour_step(histogram_a: np.ndarray, histogram_b: np.ndarray) -> np.ndarray:
    """Bhattacharyya distance of histograms, uint16 (..., 256), [0, 1].

    The square root of one minus the sum of the square roots of the products of shares; NaN if a
    histogram is empty.
    """
    a, b = histogram_a.astype(np.float64), histogram_b.astype(np.float64)
    size = np.sqrt(a.sum(axis=-1) * b.sum(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = np.sqrt(a * b).sum(axis=-1) / size
    return rounded(np.sqrt(np.maximum(1.0 - alike, 0.0)), DECIMALS)


def dhash_distance(hash_a: np.ndarray, hash_b: np.ndarray) -> np.ndarray:
    """Return the number of bits in which two 64-bit hashes differ, 0 to 64."""
    both = np.bitwise_xor(np.asarray(hash_a, np.uint64), np.asarray(hash_b, np.uint64))
    return np.bitwise_count(both).astype(np.int64)


def gradient_likeness(thumb_a: np.ndarray, thumb_b: np.ndarray) -> np.ndarray:
    """Return the cosine of the gradients of two thumbnails, [-1, 1]; 0 if one has no gradients.

    A change of light scales all gradients and does not change their cosine.
    """
    a, b = _gradients(thumb_a), _gradients(thumb_b)
    # Sums of products of integers are exact in 64 bits, in any order.
    dot = (a * b).sum(axis=-1)
    size = np.sqrt((a * a).sum(axis=-1).astype(np.float64) * (b * b).sum(axis=-1))
    return rounded(np.where(size > 0, dot / np.where(size > 0, size, 1.0), 0.0), DECIMALS)


def fill_steps(frames: pa.Table) -> pa.Table:
    """Fill in ``luma_step`` and ``colour_step`` between each row's frame and the one before.

    They are null if one of the two frames is not trusted, or has no thumbnail or histogram.

    Args:
        frames: rows of ``FRAMES`` of a whole video, with thumb and histogram.
    """
    usable = usable_rows(frames)
    both = np.flatnonzero(usable[1:] & usable[:-1]) + 1
    place = np.cumsum(usable) - 1
    thumbs, histograms = pictures(frames, usable)
    steps = compared(thumbs, histograms, place[both], place[both - 1])
    for name, values in zip(("luma_step", "colour_step"), steps, strict=True):
        column: np.ndarray = np.full(len(frames), np.nan)
        column[both] = values
        index = frames.schema.get_field_index(name)
        array = pa.array(column, pa.float64(), mask=np.isnan(column))
        frames = frames.set_column(index, frames.schema.field(index), array)
    return frames


def usable_rows(frames: pa.Table) -> np.ndarray:
    """Return bool (F,), whether a row is trusted and has a thumbnail and a histogram."""
    trusted = pc.fill_null(frames["trusted"], False)
    seen = pc.and_(pc.is_valid(frames["thumb"]), pc.is_valid(frames["histogram"]))
    return np.asarray(pc.and_(trusted, seen).to_numpy(), bool)


def pictures(frames: pa.Table, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Thumbnails uint8 (N, 2304) and histograms uint16 (N, 256) of the rows in a bool (F,)."""
    part = frames.filter(pa.array(rows))
    thumbs, histograms = (_joined(part[name]) for name in ("thumb", "histogram"))
    return thumbs.reshape(-1, _PIXELS), histograms.view("<u2").reshape(-1, HISTOGRAM_BINS)


def _joined(column: pa.ChunkedArray) -> np.ndarray:
    """uint8, all values of a binary column concatenated; copied at most once."""
    parts = [np.zeros(0, np.uint8)]
    for chunk in column.chunks:
        if len(chunk):
            offsets, data = chunk.buffers()[1:]
            edges = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
            parts.append(np.frombuffer(data, np.uint8)[edges[0] : edges[-1]])
    return parts[1] if len(parts) == 2 else np.concatenate(parts)


def compared(
    thumbs: np.ndarray, histograms: np.ndarray, a: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Luma and colour steps between the frames at indices ``a`` and ``b``."""
    luma, colour = np.zeros(len(a)), np.zeros(len(a))
    for start in range(0, len(a), CHUNK):
        part = slice(start, start + CHUNK)
        luma[part] = luma_step(thumbs[a[part]], thumbs[b[part]])
        colour[part] = colour_step(histograms[a[part]], histograms[b[part]])
    return luma, colour


def _gradients(pixels: np.ndarray) -> np.ndarray:
    """Return int64 (..., G), differences to the right and downwards."""
    picture = pixels.reshape(*pixels.shape[:-1], THUMB_HEIGHT, THUMB_WIDTH).astype(np.int64)
    across, down = np.diff(picture, axis=-1), np.diff(picture, axis=-2)
    flat = (*pixels.shape[:-1], -1)
    return np.concatenate([across.reshape(flat), down.reshape(flat)], axis=-1)

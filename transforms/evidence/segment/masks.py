"""Masks: run lengths, boxes, outlines, and removal of holes and specks.

A mask is bool (H, W).  Its run lengths go row by row and begin with the background, so the first
one is 0 if the first pixel belongs to the object.
"""

from __future__ import annotations

import cv2
import numpy as np
import pyarrow as pa

from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.observed import BOXES

LITTLE_ENDIAN = 1


def encode(mask: np.ndarray) -> np.ndarray:
    """Run lengths, int32 (R,), of a bool (H, W) mask; their sum is H * W."""
    flat = np.ascontiguousarray(mask, dtype=bool).ravel()
    if not flat.size:
        return np.zeros(0, np.int32)
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    edges = np.concatenate([[0], [0] if flat[0] else [], changes, [flat.size]])
    return np.diff(edges).astype(np.int32)


def decode(counts: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return the bool (H, W) mask of run lengths.

    Raises:
        ValueError: the sum of the runs is not height * width, or a run is negative.
    """
    runs = np.asarray(counts, dtype=np.int64)
    if runs.sum() != height * width or (runs < 0).any():
        raise ValueError(f"runs of {runs.sum()} pixels are not a mask of {height} x {width}")
    values = np.arange(len(runs)) % 2 == 1
    return np.repeat(values, runs).reshape(height, width)


def tight_box(mask: np.ndarray) -> tuple[float, float, float, float] | None:
    """x1, y1, x2, y2 in [0, 1], x2 and y2 exclusive; None for an empty mask."""
    place = _place(mask, 0)
    if place is None:
        return None
    y, x = place
    height, width = mask.shape
    return x.start / width, y.start / height, x.stop / width, y.stop / height


def _place(mask: np.ndarray, room: int) -> tuple[slice, slice] | None:
    """Rows and columns that contain the mask, and ``room`` pixels around it within the image."""
    sides = [np.flatnonzero(mask.any(axis=axis)) for axis in (1, 0)]
    if not len(sides[0]):
        return None
    y, x = (
        slice(max(int(held[0]) - room, 0), min(int(held[-1]) + 1 + room, size))
        for held, size in zip(sides, mask.shape, strict=True)
    )
    return y, x


def cleaned(mask: np.ndarray, hole_px: int, speck_px: int) -> np.ndarray:
    """Return the mask with its small holes filled, then without its small separate parts.

    Pixels of a part touch by their sides; pixels of a hole may also touch by their corners, so a
    gap in a thin outline does not turn background into a hole.  Holes at the edge of the image
    are filled too.  An empty mask has no holes, however small the image is.
    """
    whole = np.array(mask, dtype=bool)
    place = _place(whole, hole_px + 1)  # a margin this wide cannot be a hole
    if place is None:
        return whole
    part = whole[place]
    if hole_px:
        part |= _small(~part, hole_px, 8)
    if speck_px:
        part &= ~_small(part, speck_px, 4)
    return whole


def _small(mask: np.ndarray, most_px: int, connectivity: int) -> np.ndarray:
    """Return the pixels of connected parts that have at most ``most_px`` pixels."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(
        mask.astype(np.uint8), connectivity=connectivity
    )
    small = stats[:, cv2.CC_STAT_AREA] <= most_px
    small[0] = False  # the background
    return small[labels]


def outline(mask: np.ndarray, tolerance_px: float) -> bytes:
    """Polygon or multipolygon of a mask as little-endian WKB, in pixels from the top left.

    The outline follows the corners of the pixels. Points are left out as long as this moves the
    outline by about the tolerance at most. Points are a subset of pixel corners, so coordinates are
    whole numbers. Rings and parts are in shapely's normal order.
    """
    import shapely

    whole = shapely.union_all(_blocks(mask))
    simple = shapely.simplify(whole, tolerance_px, preserve_topology=True)
    wkb: bytes = shapely.to_wkb(
        shapely.normalize(simple), byte_order=LITTLE_ENDIAN, output_dimension=2
    )
    return wkb


def _blocks(mask: np.ndarray) -> np.ndarray:
    """Rectangles that make up the mask: equal runs of neighbouring rows are joined."""
    import shapely

    place = _place(mask, 0)
    if place is None:
        return np.zeros(0, object)
    y, x1, x2 = _runs(mask[place])
    y, x1, x2 = y + place[0].start, x1 + place[1].start, x2 + place[1].start
    order = np.lexsort((y, x2, x1))
    y, x1, x2 = y[order], x1[order], x2[order]
    new = np.ones(len(y), bool)
    new[1:] = (x1[1:] != x1[:-1]) | (x2[1:] != x2[:-1]) | (y[1:] != y[:-1] + 1)
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(y)) - 1
    blocks: np.ndarray = shapely.box(x1[first], y[first], x2[first], y[last] + 1)
    return blocks


def _runs(mask: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, first column, and column after the last, of every run of the object."""
    padded = np.zeros((mask.shape[0], mask.shape[1] + 2), np.int8)
    padded[:, 1:-1] = mask
    step = np.diff(padded, axis=1)
    y, x1 = np.nonzero(step == 1)
    _, x2 = np.nonzero(step == -1)
    return y, x1, x2


TISSUE, INSTRUMENT = "tissue", "instrument"


def boxes_from_masks(masks: pa.Table) -> pa.Table:
    """Return the tight box of every mask, with the mask's object as its track.

    Args:
        masks: schema MASKS, one video.

    Returns:
        A table with the schema BOXES, sorted as that schema states; its ``origin`` is ``mask``.
        The kind is ``tissue`` for labels that the ontology lists as targets, else ``instrument``.
    """
    targets = vocabulary("targets")
    labels = masks["label"].to_pylist()
    kinds = [TISSUE if label in targets else INSTRUMENT for label in labels]
    columns = {
        **{name: masks[name] for name in ("time_us", "frame", "label", "score")},
        **{name: masks[name] for name in ("x1", "y1", "x2", "y2")},
        "kind": pa.array(kinds, pa.string()),
        "track": masks["object"],
        "origin": pa.array(["mask"] * len(labels), pa.string()),
    }
    arrays = [columns.get(field.name, pa.nulls(len(labels), field.type)) for field in BOXES]
    order = ("time_us", "kind", "label", "x1", "y1", "x2", "y2", "track")
    table = pa.Table.from_arrays([_whole(a) for a in arrays], schema=BOXES)
    return table.sort_by([(name, "ascending") for name in order])


def _whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column

"""Masks in the formats of labelling tools, from the evidence's text ``HEIGHTxWIDTH:counts``."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from surgqa.ontology.masks import decoded


def mask_box(text: str) -> tuple[float, float, float, float]:
    """Return corners of the box around a mask, as shares of the frame."""
    mask = decoded(text)
    rows, columns = np.nonzero(mask)
    height, width = mask.shape
    if not len(rows):
        return 0.0, 0.0, 0.0, 0.0
    return (float(columns.min()) / width, float(rows.min()) / height,
            float(columns.max() + 1) / width, float(rows.max() + 1) / height)  # fmt: skip


def coco_mask(text: str, width: int, height: int) -> dict[str, Any]:
    """COCO's ``segmentation`` in compressed run lengths, and ``area`` in pixels.

    Args:
        width, height: of the frame; a mask of another size is resized.
    """
    from pycocotools import mask as coco

    mask = sized(text, width, height)
    counts = coco.encode(np.asfortranarray(mask))["counts"].decode("ascii")
    return {"segmentation": {"size": [height, width], "counts": counts}, "area": int(mask.sum())}


def sized(text: str, width: int, height: int) -> np.ndarray:
    """Return a mask as uint8 (H, W) in the size of the frame, 1 inside."""
    mask = decoded(text).astype(np.uint8)
    if mask.shape == (height, width):
        return mask
    return cv2.resize(mask, (width, height), interpolation=cv2.INTER_NEAREST)


def cvat_rle(text: str, width: int, height: int) -> dict[str, str]:
    """Attributes of CVAT's ``mask``: a window of the frame, and run lengths in it, row by row.

    The first run is outside the mask and may have length 0.

    Args:
        width, height: of the frame; a mask of another size is resized.
    """
    mask = sized(text, width, height)
    rows, columns = np.nonzero(mask)
    if not len(rows):
        return {"rle": "1", "left": "0", "top": "0", "width": "1", "height": "1"}
    top, left = int(rows.min()), int(columns.min())
    inside = mask[top : int(rows.max()) + 1, left : int(columns.max()) + 1]
    flat = inside.ravel()
    edges = np.concatenate([[0], np.flatnonzero(np.diff(flat)) + 1, [flat.size]])
    runs = [*([0] if flat[0] else []), *np.diff(edges).tolist()]
    return {"rle": ", ".join(map(str, runs)), "left": str(left), "top": str(top),
            "width": str(inside.shape[1]), "height": str(inside.shape[0])}  # fmt: skip

"""Black-and-white masks, and the parts of them inside boxes."""

from __future__ import annotations

import numpy as np

from surgqa.ontology.masks import encoded
from surgqa.transforms.readers.base.masks import label_picture
from surgqa.transforms.readers.base.objects import Box

WHITE = 128
"""Lowest grey value that counts as white; JPEG and re-releases blur the edges."""


def white(data: bytes, name: str) -> np.ndarray:
    """Return the white pixels, bool (H, W), of a mask file in grey or colour.

    Raises:
        SourceBroken: the file is not an image, or it is truncated.
    """
    pixels = label_picture(data, name)
    return (pixels.max(axis=2) if pixels.ndim == 3 else pixels) >= WHITE


def within(mask: np.ndarray, box_xyxy: Box) -> str:
    """Run lengths of the part of the mask inside a box; '' if that part is empty."""
    height, width = mask.shape
    x1, y1, x2, y2 = np.rint(np.array(box_xyxy) * (width, height, width, height)).astype(int)
    part = np.zeros_like(mask)
    part[y1:y2, x1:x2] = mask[y1:y2, x1:x2]
    return encoded(part)

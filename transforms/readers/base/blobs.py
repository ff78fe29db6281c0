"""Split black-and-white masks by boxes or into connected regions."""

from __future__ import annotations

import numpy as np

from ontology.masks import encoded
from transforms.readers.base.masks import label_picture
from transforms.readers.base.objects import Box

WHITE = 128
"""Lowest grey value that counts as white; JPEG and re-releases blur the edges."""


def white(data: bytes, name: str) -> np.ndarray:
    """The white pixels, bool (H, W), of a mask file in grey or colour.

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


def blobs(mask: np.ndarray, smallest: int) -> list[tuple[str, int]]:
    """Run lengths and pixel counts of 8-connected regions, ordered by their first pixels.

    Args:
        smallest: regions with fewer pixels get '' as run lengths.
    """
    import cv2

    _, numbers = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)
    found, firsts, sizes = np.unique(numbers, return_index=True, return_counts=True)
    order = [place for place in np.argsort(firsts).tolist() if found[place]]
    return [
        (encoded(numbers == found[place]) if sizes[place] >= smallest else "", int(sizes[place]))
        for place in order
    ]

"""Masks: convert label images and polygons to run lengths, boxes and areas.

Run lengths are COCO's compressed form, written as ``HEIGHTxWIDTH:counts`` and encoded
by pycocotools.  A box is the smallest one that contains every pixel; its edges lie on
the outer sides of the pixels.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from surgqa.ontology.boxes import Box, clipped_box
from surgqa.ontology.errors import MediaBroken
from surgqa.ontology.masks import complete, encoded, rle_of

_PNG = b"\x89PNG\r\n\x1a\n"


def label_picture(data: bytes, name: str) -> np.ndarray:
    """Return a mask file's pixels: uint8 (H, W) for grey or palette, (H, W, 3) RGB for colour.

    Raises:
        SourceBroken: the file is not an 8-bit image, or it is truncated.
    """
    import cv2

    flags = cv2.IMREAD_UNCHANGED
    whole = bool(data) and (not data.startswith(_PNG) or _whole_png(data))
    pixels = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), flags) if whole else None
    if pixels is None or pixels.dtype != np.uint8:
        raise MediaBroken(
            f"{name} is not a mask",
            expected="an 8-bit picture",
            found="another file, or one that was cut short",
            where=name,
            fix="unpack the masks again",
        )
    if pixels.ndim == 3:
        pixels = pixels[:, :, 2::-1]
    return np.ascontiguousarray(pixels)


def _whole_png(data: bytes) -> bool:
    """Return whether all chunks up to IEND are complete; decoders may accept truncated files."""
    at = len(_PNG)
    while at + 12 <= len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        at += 12 + length
        if kind == b"IEND":
            return at <= len(data)
    return False


def box_of(text: str) -> Box | None:
    """Return the smallest box around a mask, in [0, 1] of width and height; None if it is empty."""
    from pycocotools import mask as coco

    if not text:
        return None
    rle = rle_of(text)
    height, width = rle["size"]
    x, y, w, h = (float(value) for value in coco.toBbox(rle))
    return clipped_box((x / width, y / height, (x + w) / width, (y + h) / height))


def area_of(text: str) -> float:
    """Return the share of the image area that a mask covers, in [0, 1]."""
    from pycocotools import mask as coco

    rle = rle_of(text)
    return float(coco.area(rle)) / (rle["size"][0] * rle["size"][1])


def from_polygons(polygons: Sequence[Sequence[float]], width: int, height: int) -> str:
    """Mask of the union of polygons in pixels (``[x1, y1, x2, y2, …]``); '' if it is empty."""
    from pycocotools import mask as coco

    usable = [list(map(float, polygon)) for polygon in polygons if len(polygon) >= 6]
    if not usable:
        return ""
    rle = coco.merge(coco.frPyObjects(usable, height, width))
    return _text(rle) if coco.area(rle) else ""


def from_coco(segmentation: Any, width: int, height: int) -> str | None:
    """Return the mask of COCO's ``segmentation`` (polygons, or plain or compressed run lengths).

    The result is None if the mask cannot be parsed or belongs to an image of another size.
    """
    from pycocotools import mask as coco

    try:
        if isinstance(segmentation, list):
            return from_polygons(segmentation, width, height)
        if list(map(int, segmentation["size"])) != [height, width]:
            return None
        counts = segmentation["counts"]
        rle = segmentation
        if isinstance(counts, list):
            if sum(counts) != width * height or min(counts, default=0) < 0:
                return None
            rle = coco.frPyObjects({"size": [height, width], "counts": counts}, height, width)
        elif not complete(counts, width * height):
            return None
        text = _text(rle)
        return text if coco.area(rle_of(text)) else ""
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        return None


def _text(rle: dict[str, Any]) -> str:
    counts = rle["counts"]
    counts = counts.decode("ascii") if isinstance(counts, bytes) else counts
    return f"{rle['size'][0]}x{rle['size'][1]}:{counts}"


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

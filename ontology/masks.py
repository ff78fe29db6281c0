"""Masks as text: ``HEIGHTxWIDTH:counts``, with COCO's compressed run lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def decoded(text: str) -> np.ndarray:
    """Return the mask as bool (H, W), from its text.

    Raises:
        ValueError: the run lengths do not cover the frame exactly.
    """
    rle = rle_of(text)
    height, width = rle["size"]
    runs = runs_of(rle["counts"]) or []
    if not complete(rle["counts"], height * width):
        raise ValueError("run lengths that do not cover the frame")
    values = np.arange(len(runs)) % 2 == 1
    return np.repeat(values, runs).reshape(width, height).T


def encoded(mask: np.ndarray) -> str:
    """Return the text of a mask, bool (H, W); '' for an empty mask."""
    from pycocotools import mask as coco

    if not mask.any():
        return ""
    counts = coco.encode(np.asfortranarray(mask.astype(np.uint8)))["counts"]
    return f"{mask.shape[0]}x{mask.shape[1]}:{counts.decode('ascii')}"


def from_rows(counts: Sequence[int], height: int, width: int) -> str:
    """Return the text of an observed mask from its run lengths, row by row and background first."""
    runs = np.asarray(counts, np.int64)
    return encoded(np.repeat(np.arange(len(runs)) % 2 == 1, runs).reshape(height, width))


def complete(counts: Any, pixels: int) -> bool:
    """Return whether compressed run lengths are well formed and cover the frame exactly."""
    runs = runs_of(counts)
    return runs is not None and min(runs, default=-1) >= 0 and sum(runs) == pixels


def runs_of(counts: str | bytes) -> list[int] | None:
    """Return the run lengths as numbers; None if the text ends in the middle of a number.

    This is checked because pycocotools accepts any text, and even reads past its end. A character
    holds five bits; the sixth bit says that more characters follow. From the fourth run on,
    differences are stored.
    """
    runs: list[int] = []
    value = shift = 0
    for char in counts if isinstance(counts, str) else counts.decode("ascii"):
        code = ord(char) - 48
        if not 0 <= code < 64 or shift > 30:
            return None
        value |= (code & 31) << shift
        shift += 5
        if code & 32:
            continue
        if code & 16:
            value -= 1 << shift
        runs.append(value + runs[-2] if len(runs) > 2 else value)
        value = shift = 0
    return None if shift else runs


def rle_of(text: str) -> dict[str, Any]:
    """Return the mask as pycocotools takes it: ``size`` [height, width] and ``counts`` as bytes."""
    size, counts = text.split(":", 1)
    height, width = map(int, size.split("x"))
    return {"size": [height, width], "counts": counts.encode("ascii")}

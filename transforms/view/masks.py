"""Masks as outlines that a page can draw over a frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transforms.view.database import Database, Row

LARGEST = 4096 * 4096
"""Maximum number of pixels of a mask, whatever size a file states."""
POINTS = 1000
"""Units across the frame: outlines use thousandths of its sides."""


def masks(db: Database, row: Mapping[str, Any], time_us: int) -> list[Row]:
    """Outlines of all masks at an annotated instant that may be shown.

    Returns:
        ``label`` and ``path``: an SVG path in a square of a thousand units, empty if the mask
        cannot be read.
    """
    if not row["start_us"] <= time_us <= row["seen_us"]:
        return []
    there = "WHERE dataset = ? AND video_id = ? AND time_us = ? AND coalesce(mask, '') <> ''"
    values = [row["dataset"], row["video_id"], time_us]
    found = db.rows(
        f"SELECT label, mask FROM events {there} UNION ALL "
        f"SELECT label, mask FROM regions {there} ORDER BY label, mask", values * 2,
    )  # fmt: skip
    return [{"label": one["label"], "path": outline(one["mask"])} for one in found]


def outline(text: str) -> str:
    """The outlines of a mask, including holes, as commands of an SVG path; '' if it is not a mask.

    Args:
        text: ``HEIGHTxWIDTH:counts``, run lengths in COCO's compressed form.
    """
    import cv2
    import numpy as np

    from ontology.masks import decoded

    try:
        height, width = (int(side) for side in text.partition(":")[0].split("x"))
        if not 0 < height * width <= LARGEST:
            return ""
        mask = decoded(text)
    except (ValueError, UnicodeError):
        return ""
    lines, _ = cv2.findContours(np.ascontiguousarray(mask, np.uint8), cv2.RETR_CCOMP,
                                cv2.CHAIN_APPROX_SIMPLE)  # fmt: skip
    scale = np.array([POINTS / width, POINTS / height])
    parts = []
    for line in lines:
        line = cv2.approxPolyDP(line, max(width, height) / POINTS, closed=True)
        places = np.rint(line[:, 0, :] * scale).astype(int).tolist()
        if len(places) > 2:
            parts.append("M" + "L".join(f"{x} {y}" for x, y in places) + "Z")
    return "".join(parts)

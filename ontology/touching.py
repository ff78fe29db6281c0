"""Find instruments that may touch tissues in a frame, by their boxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

NEAR = 0.02
"""Largest distance, as a share of the frame, between boxes that may touch.  It is larger than the
error of a model's boxes.
"""

Row = Mapping[str, Any]


def touching(boxes: Iterable[Row], within: float = NEAR) -> dict[int, list[tuple[Row, Row]]]:
    """Return, for each instant, the pairs of an instrument and a tissue whose boxes touch.

    Args:
        boxes: rows with ``time_us``, ``kind``, and corners in [0, 1].
        within: largest distance between boxes that touch; 0 means that they overlap.
    """
    by_time: dict[int, list[Row]] = {}
    for row in boxes:
        by_time.setdefault(row["time_us"], []).append(row)
    found = {
        time: [(tool, tissue) for tool in rows if tool["kind"] == "instrument"
               for tissue in rows if tissue["kind"] == "tissue" and apart(tool, tissue) <= within]
        for time, rows in by_time.items()
    }  # fmt: skip
    return {time: pairs for time, pairs in found.items() if pairs}


def apart(one: Row, other: Row) -> float:
    """Return the gap of two boxes along the axis on which it is larger; below 0 if they overlap."""
    return max(max(one[low], other[low]) - min(one[high], other[high])
               for low, high in (("x1", "x2"), ("y1", "y2")))  # fmt: skip

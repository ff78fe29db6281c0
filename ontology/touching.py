"""Which instruments may touch which tissues in a picture, by their boxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

NEAR = 0.02
"""Boxes of a model that lie further apart than this, in parts of the picture, do not touch: more
than they lie beside the truth."""

Row = Mapping[str, Any]


def touching(boxes: Iterable[Row], within: float = NEAR) -> dict[int, list[tuple[Row, Row]]]:
    """Instant -> each instrument with each tissue that its box touches.

    Args:
        boxes: rows with ``time_us``, ``kind`` and corners in [0, 1].
        within: boxes that are further apart do not touch; 0 for those that overlap.
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
    """Distance of two boxes along the axis on which it is greater; below 0 where they overlap."""
    return max(max(one[low], other[low]) - min(one[high], other[high])
               for low, high in (("x1", "x2"), ("y1", "y2")))  # fmt: skip

"""Three levels of difficulty, by the smallest distance between an option and the answer."""

from __future__ import annotations

from collections.abc import Mapping

EASY, MEDIUM, HARD = LEVELS = (1, 2, 3)

BOUNDS: Mapping[str, tuple[float, float]] = {
    "instant": (3.0, 10.0),
    "stretch": (3.0, 10.0),
    "duration": (3.0, 10.0),
    "number": (2, 3),
    "box": (0.1, 0.3),
    "point": (0.1, 0.3),
    "set": (2, 3),
    "sequence": (2, 3),
}
"""Type of the answer -> margins: below the first an item is hard, from the second on it is easy.

Margins: seconds between times (for intervals, the larger distance of the two ends), differences of
numbers, distances of the centres of boxes and points as shares of the frame, numbers of members in
only one of two sets, numbers of positions where sequences differ.  Other types have none."""

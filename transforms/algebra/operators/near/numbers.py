"""Whole numbers near an answer that are certainly wrong."""

from __future__ import annotations

from math import ceil, floor, isfinite
from typing import Any

from surgqa.ontology.keys import Key


def beside(answer: Any, wanted: int, key: Key) -> list[int]:
    """``wanted`` whole numbers below and above the range of a typed number.

    The answer's rank among them is drawn; each rank that is possible is equally likely.
    """
    is_range = isinstance(answer, dict)
    low, high = (answer["least"], answer["most"]) if is_range else (answer, answer)
    if not isfinite(high):
        return []  # no upper bound, so no number is certainly above
    first, last = ceil(low), floor(high) + 1
    below = key.h64("rank") % (min(wanted, max(first, 0)) + 1)
    return [*range(first - below, first), *range(last, last + wanted - below)]

"""Whole numbers near an answer, of which certainly none is right."""

from __future__ import annotations

from math import ceil, floor, isfinite
from typing import Any

from ontology.keys import Key


def beside(answer: Any, wanted: int, key: Key) -> list[int]:
    """So many whole numbers, below and above all that a typed number may be.

    Each rank of the answer that there are numbers for is equally likely.
    """
    told = isinstance(answer, dict)
    low, high = (answer["least"], answer["most"]) if told else (answer, answer)
    if not isfinite(high):
        return []  # nothing certainly lies above
    first, last = ceil(low), floor(high) + 1
    below = key.h64("rank") % (min(wanted, max(first, 0)) + 1)
    return [*range(first - below, first), *range(last, last + wanted - below)]

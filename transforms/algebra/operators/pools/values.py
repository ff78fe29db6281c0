"""Wrong numbers near a correct number, and wrong orders of a correct sequence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import ceil, floor, isfinite
from typing import Any

from surgqa.ontology.keys import Key

LONGEST = 5
"""Longest sequence for which all orders are listed."""


def beside(answer: Any, wanted: int, key: Key) -> list[int]:
    """Return ``wanted`` whole numbers below and above the bounds of a correct number.

    A hash decides how many of them are below; each possible number of them is equally likely.
    """
    is_range = isinstance(answer, dict)
    low, high = (answer["least"], answer["most"]) if is_range else (answer, answer)
    if not isfinite(high):
        return []  # no upper bound, so no number is certainly above
    first, last = ceil(low), floor(high) + 1
    below = key.h64("rank") % (min(wanted, max(first, 0)) + 1)
    return [*range(first - below, first), *range(last, last + wanted - below)]


def orders(members: Sequence[Any]) -> list[list[Any]]:
    """Return every order of the members, also the given one; empty if more than :data:`LONGEST`."""
    return list(map(list, permutations(members))) if len(members) <= LONGEST else []

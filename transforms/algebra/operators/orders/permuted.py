"""Every order of a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

LONGEST = 5
"""Greatest length of a sequence whose orders are enumerated."""


def orders(members: Sequence[Any]) -> list[list[Any]]:
    """Every order of the members, the given one included; empty for more than :data:`LONGEST`."""
    return list(map(list, permutations(members))) if len(members) <= LONGEST else []

"""Every order of a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

LONGEST = 5
"""Members of a sequence of which all orders are looked at."""


def orders(members: Sequence[Any]) -> list[list[Any]]:
    """Every order of some members, their own among them; none of more than :data:`LONGEST`."""
    return list(map(list, permutations(members))) if len(members) <= LONGEST else []

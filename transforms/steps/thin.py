"""Thinning out one side of items to a share, by hash order.

The side that is too many is thinned class by class, as evenly over the wordings as can be, in
descending order of ids (which are digests).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heapreplace

HALF = Fraction(1, 2)
NEAR = Fraction(1, 100)
"""A share that is no further off is met; a smaller one would only cost items."""


@dataclass(frozen=True, slots=True)
class Sided:
    """An item, or a chain of items, of a template with a promise.

    Attributes:
        key: its id, or that of the chain.
        yes: the side it is on.
        of: the class that is asked about; the same for all where there is none.
        wording: the question without times and numbers.
    """

    key: str
    yes: bool
    of: str
    wording: str


def kept_of(yes: int, no: int, wanted: Fraction) -> tuple[int, int]:
    """How many items of each side stay, for a share of yes within :data:`NEAR` of what is wanted.

    As many as can be; of few items the nearest share.  Where one side is missing none stays.
    """
    if wanted in (0, 1):
        return (yes, 0) if wanted else (0, no)
    if yes * (1 - wanted) > no * wanted:
        other, scarce = _kept(yes, no, wanted)
        return other, scarce
    other, scarce = _kept(no, yes, 1 - wanted)
    return scarce, other


def _kept(many: int, scarce: int, share: Fraction) -> tuple[int, int]:
    """The same, where more than ``share`` of the items are of the side with ``many``."""
    most = share + NEAR
    for left in range(scarce, scarce - scarce // 10 - 1, -1):
        other = many if most >= 1 else min(many, int(left * most / (1 - most)))
        if other and Fraction(other, other + left) >= share - NEAR:
            return other, left
    nearest = int(scarce * share / (1 - share) + HALF)
    return (min(many, max(1, nearest)), scarce) if scarce else (0, 0)


def left_out(items: Iterable[Sided], wanted: Fraction) -> list[str]:
    """Keys of the items that the wanted share of yes has no room for.

    Each class has the share of its own; classes of which one side is missing have it together.
    """
    classes: dict[str, list[Sided]] = defaultdict(list)
    for one in items:
        classes[one.of].append(one)
    both = [some for some in classes.values() if len({one.yes for one in some}) == 2]
    single = [one for some in classes.values() if len({one.yes for one in some}) == 1
              for one in some]  # fmt: skip
    return sorted(key for some in (*both, single) for key in _over(some, wanted))


def _over(items: Sequence[Sided], wanted: Fraction) -> Iterator[str]:
    """Items of one class that are too many, of the wordings that have most of their side."""
    sides = Counter(one.yes for one in items)
    kept = dict(zip((True, False), kept_of(sides[True], sides[False], wanted), strict=True))
    for side, share in ((True, wanted), (False, 1 - wanted)):
        mine: dict[str, list[str]] = defaultdict(list)
        for key, wording in sorted((one.key, one.wording) for one in items if one.yes == side):
            mine[wording].append(key)
        wordings = Counter(one.wording for one in items)
        # Of a wording with more than its share, the last items go first.
        heap = [(share * wordings[name] - len(keys), name) for name, keys in mine.items()]
        heapify(heap)
        for _ in range(sides[side] - kept[side]):
            excess, name = heap[0]
            yield mine[name].pop()
            if mine[name]:
                heapreplace(heap, (excess + 1 - share, name))
            else:
                heappop(heap)

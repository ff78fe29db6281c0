"""Thinning out one side of items to a share, by hash order.

The side that is too many is thinned class by class, as evenly over the wordings as can be, in
descending order of ids (which are digests).  Where items are one another's options, blocks of them
go as a whole.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heapreplace

HALF = Fraction(1, 2)
NEAR = Fraction(1, 100)
"""A share that is no further off is met; a smaller one would only cost items."""
NEAR_BLOCKS = Fraction(1, 40)
"""The same for blocks: one moves the share by little and costs up to four items."""
LEAST = Fraction(4, 5)
"""Of the items that a share would leave without blocks, these stay with blocks in any case."""


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


def blocks_left_out(
    items: Iterable[Sided], block_of: Mapping[str, str], wanted: Fraction
) -> list[str]:
    """Keys of the items that go for the wanted share of yes, where blocks go as a whole.

    The blocks with most of the side that is too many go first, as long as the share comes nearer.
    At least :data:`LEAST` of what would stay of items in no blocks does: where each block has the
    same share, none comes nearer.

    Args:
        block_of: key of an item -> its block; others are on their own.
    """
    blocks: dict[str, list[Sided]] = defaultdict(list)
    for one in items:
        blocks[block_of.get(one.key, one.key)].append(one)
    ordered = deque(sorted(blocks.values(), key=_side_and_id))
    yes, all_of = (sum(map(count, ordered)) for count in (_yes, len))
    least = LEAST * sum(kept_of(yes, all_of - yes, wanted))
    gone: list[str] = []
    while all_of and abs(Fraction(yes, all_of) - wanted) > NEAR_BLOCKS:
        over = Fraction(yes, all_of) > wanted
        some = ordered[-1 if over else 0]
        rest, more = all_of - len(some), yes - _yes(some)
        if rest < least or not rest or not _nearer(Fraction(more, rest), yes, all_of, wanted):
            break
        gone += [one.key for one in (ordered.pop() if over else ordered.popleft())]
        yes, all_of = more, rest
    return sorted(gone)


def _side_and_id(block: Sequence[Sided]) -> tuple[Fraction, str]:
    return Fraction(_yes(block), len(block)), min(one.key for one in block)


def _yes(block: Sequence[Sided]) -> int:
    return sum(one.yes for one in block)


def _nearer(share: Fraction, yes: int, all_of: int, wanted: Fraction) -> bool:
    return abs(share - wanted) < abs(Fraction(yes, all_of) - wanted)


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

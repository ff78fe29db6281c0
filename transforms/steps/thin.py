"""Drop items of one side (yes or no) until both have the wanted shares.

The side with too many items loses items class by class (such as hook, grasper), as evenly over the
wordings as possible, in descending order of :data:`ORDER`. If items have each other's answers as
options, whole blocks are dropped.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heapreplace

from surgqa.ontology.keys import Key

ORDER = Key("choose", "shares")
HALF = Fraction(1, 2)
NEAR = Fraction(1, 100)
"""Accepted difference from a share; a smaller difference would cost more items."""
NEAR_BLOCKS = Fraction(1, 40)
"""Accepted difference if blocks are dropped; each costs up to four items and changes little."""
LEAST = Fraction(4, 5)
"""At least this fraction of the items is kept that would be kept without blocks."""


@dataclass(frozen=True, slots=True)
class Sided:
    """An item, or a chain of items, of a template with a declared share of yes.

    Attributes:
        key: id of the item or chain.
        yes: True if it counts as yes.
        of: the class that the question is about; equal for all items if the questions have none.
        wording: the question without times and numbers.
    """

    key: str
    yes: bool
    of: str
    wording: str


def kept_of(yes: int, no: int, wanted: Fraction) -> tuple[int, int]:
    """Return how many items with yes and how many with no to keep: as many as possible.

    The share of yes is then within :data:`NEAR` of ``wanted``. With few items, the nearest share is
    accepted. No item is kept if all items have the same answer.
    """
    if wanted in (0, 1):
        return (yes, 0) if wanted else (0, no)
    if yes * (1 - wanted) > no * wanted:
        other, scarce = _kept(yes, no, wanted)
        return other, scarce
    other, scarce = _kept(no, yes, 1 - wanted)
    return scarce, other


def _kept(many: int, scarce: int, share: Fraction) -> tuple[int, int]:
    """Return how many items to keep of the answer (yes or no) with too many, and of the other one.

    Args:
        share: wanted share of the answer with too many items.
    """
    most = share + NEAR
    for left in range(scarce, scarce - scarce // 10 - 1, -1):
        other = many if most >= 1 else min(many, int(left * most / (1 - most)))
        if other and Fraction(other, other + left) >= share - NEAR:
            return other, left
    nearest = int(scarce * share / (1 - share) + HALF)
    return (min(many, max(1, nearest)), scarce) if scarce else (0, 0)


def left_out(items: Iterable[Sided], wanted: Fraction) -> list[str]:
    """Return the ids of the items to drop for the wanted share of yes.

    Each class gets the share by itself; classes with only yes or only no get it together.
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
    """Return the ids of the items to drop for the wanted share of yes, in whole blocks.

    A block holds items that have each other's answers as options. Blocks with most of the excess
    answer are dropped first, as long as the share gets nearer. At least :data:`LEAST` of the items
    that would be kept without blocks is kept. If all blocks have the same share, none is dropped.

    Args:
        block_of: id of an item -> its block. An item without a block is its own block.
    """
    blocks: dict[str, list[Sided]] = defaultdict(list)
    for one in items:
        blocks[block_of.get(one.key, one.key)].append(one)
    ordered = deque(sorted(blocks.values(), key=_side_and_place))
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


def _side_and_place(block: Sequence[Sided]) -> tuple[Fraction, int]:
    return Fraction(_yes(block), len(block)), ORDER.h64(min(one.key for one in block))


def _yes(block: Sequence[Sided]) -> int:
    return sum(one.yes for one in block)


def _nearer(share: Fraction, yes: int, all_of: int, wanted: Fraction) -> bool:
    return abs(share - wanted) < abs(Fraction(yes, all_of) - wanted)


def _over(items: Sequence[Sided], wanted: Fraction) -> Iterator[str]:
    """Yield the ids to drop of one class, from the wordings that have too many of one answer."""
    sides = Counter(one.yes for one in items)
    kept = dict(zip((True, False), kept_of(sides[True], sides[False], wanted), strict=True))
    for side, share in ((True, wanted), (False, 1 - wanted)):
        mine: dict[str, list[str]] = defaultdict(list)
        wording_of = {one.key: one.wording for one in items if one.yes == side}
        for key in ORDER.ordered(wording_of):
            mine[wording_of[key]].append(key)
        wordings = Counter(one.wording for one in items)
        # Of a wording with more than its share, the last items are dropped first.
        heap = [(share * wordings[name] - len(keys), name) for name, keys in mine.items()]
        heapify(heap)
        for _ in range(sides[side] - kept[side]):
            excess, name = heap[0]
            yield mine[name].pop()
            if mine[name]:
                heapreplace(heap, (excess + 1 - share, name))
            else:
                heappop(heap)

"""Blocks: questions with different answers that offer one another's answers as their options.

In a block each option is right exactly once, so whatever looks at the options alone gets what
chance gives, whichever answers a recording gives often.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

LARGEST, SMALLEST = 4, 2
"""Questions of a block: as many as options are offered, at least two."""

Fits = Callable[[int, int], bool]
Block = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One question that options are wanted for.

    Attributes:
        order: a digest; entries with equal answers are taken in its order.
        answer: canonical text.
        alike: of questions that differ in nothing but times and numbers the same.
    """

    order: int
    answer: str
    alike: Hashable = ""


def dealt(entries: Sequence[Entry], fits: Fits) -> list[Block]:
    """Blocks of the entries of one recording; who is in none is left over.

    First among entries that ask alike, then among all that are left.

    Args:
        fits: whether the answers of two entries (by index) are certainly wrong for one another.
    """
    groups: dict[Hashable, list[int]] = {}
    for i in sorted(range(len(entries)), key=lambda i: entries[i].order):
        groups.setdefault(entries[i].alike, []).append(i)
    out: list[Block] = []
    left: list[int] = []
    for group in groups.values():
        found = list(_blocks(entries, group, fits))
        out += found
        left += _without(group, found)
    left.sort(key=lambda i: entries[i].order)
    return [*out, *_blocks(entries, left, fits)]


def _without(group: Sequence[int], blocks: Sequence[Block]) -> list[int]:
    dealt_out = {i for block in blocks for i in block}
    return [i for i in group if i not in dealt_out]


def _blocks(entries: Sequence[Entry], group: Sequence[int], fits: Fits) -> Iterator[Block]:
    """The largest blocks first, of the answers of which most are left."""
    left = list(group)
    for size in range(LARGEST, SMALLEST - 1, -1):
        found = list(_of_size(entries, left, fits, size))
        yield from found
        left = _without(left, found)


def _of_size(
    entries: Sequence[Entry], group: Sequence[int], fits: Fits, size: int
) -> Iterator[Block]:
    queues: dict[str, list[int]] = {}
    for i in group:
        queues.setdefault(entries[i].answer, []).append(i)
    while len(queues) >= size:
        names = sorted(queues, key=lambda name: _rank(entries, queues[name]))
        block = _from(queues, names, fits, size)
        used = block if len(block) == size else block[:1]  # which finds no partners
        if len(block) == size:
            yield tuple(block)
        for i in used:
            queue = queues[entries[i].answer]
            queue.remove(i)
            if not queue:
                del queues[entries[i].answer]


def _rank(entries: Sequence[Entry], queue: Sequence[int]) -> tuple[int, int]:
    """Answers of which most are left come first, of equals the one with the first digest."""
    return -len(queue), entries[queue[0]].order


def _from(
    queues: Mapping[str, Sequence[int]], names: Sequence[str], fits: Fits, size: int
) -> list[int]:
    """The first entry of the most frequent answer and the first that fit of the others."""
    block = [queues[names[0]][0]]
    for name in names[1:]:
        one = next((i for i in queues[name] if all(fits(i, j) for j in block)), None)
        if one is not None:
            block.append(one)
        if len(block) == size:
            break
    return block


def partner(place: int, size: int) -> int:
    """Whose answer stands for all wrong ones of an entry, where one is wanted.

    Each entry of a block is that of exactly one other.
    """
    return place ^ 1 if size % 2 == 0 else (place + 1) % size

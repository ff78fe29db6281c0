"""Blocks: questions with different answers that use each other's answers as distractors.

In a block each option is correct exactly once. A model that sees only the options therefore scores
at chance level, even if some answers are frequent in a video.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

LARGEST, SMALLEST = 4, 2
"""Largest and smallest number of questions in a block; a question has as many options."""

Fits = Callable[[int, int], bool]
Block = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExchangeEntry:
    """One question that needs options.

    Attributes:
        order: a hash; questions with equal answers are taken in the order of their hashes.
        answer: the answer as canonical text.
        alike: a key that questions share if they differ only in times and numbers.
    """

    order: int
    answer: str
    alike: Hashable = ""


def dealt(entries: Sequence[ExchangeEntry], fits: Fits) -> list[Block]:
    """Group the questions of one video into blocks; questions that fit no block are left out.

    Blocks are formed first among questions that are alike, then among all remaining questions.

    Args:
        fits: a function of the indices of two questions: True if each one's answer is certainly
            wrong for the other.
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


def _blocks(entries: Sequence[ExchangeEntry], group: Sequence[int], fits: Fits) -> Iterator[Block]:
    """Yield blocks of questions, the largest first; the most frequent answers are used first."""
    left = list(group)
    for size in range(LARGEST, SMALLEST - 1, -1):
        found = list(_of_size(entries, left, fits, size))
        yield from found
        left = _without(left, found)


def _of_size(
    entries: Sequence[ExchangeEntry], group: Sequence[int], fits: Fits, size: int
) -> Iterator[Block]:
    queues: dict[str, list[int]] = {}
    for i in group:
        queues.setdefault(entries[i].answer, []).append(i)
    while len(queues) >= size:
        names = sorted(queues, key=lambda name: _rank(entries, queues[name]))
        block = _from(queues, names, fits, size)
        used = block if len(block) == size else block[:1]  # the first question finds no partners
        if len(block) == size:
            yield tuple(block)
        for i in used:
            queue = queues[entries[i].answer]
            queue.remove(i)
            if not queue:
                del queues[entries[i].answer]


def _rank(entries: Sequence[ExchangeEntry], queue: Sequence[int]) -> tuple[int, int]:
    """Sort key of an answer: most remaining questions first, then the smallest hash."""
    return -len(queue), entries[queue[0]].order


def _from(
    queues: Mapping[str, Sequence[int]], names: Sequence[str], fits: Fits, size: int
) -> list[int]:
    """Return questions for a block: one with the most frequent answer, and others that fit."""
    block = [queues[names[0]][0]]
    for name in names[1:]:
        one = next((i for i in queues[name] if all(fits(i, j) for j in block)), None)
        if one is not None:
            block.append(one)
        if len(block) == size:
            break
    return block


def partner(place: int, size: int) -> int:
    """Return the question whose answer is the first wrong option of question ``place``.

    Both are indices in a block of ``size`` questions. Each question is the partner of one other.
    """
    return place ^ 1 if size % 2 == 0 else (place + 1) % size

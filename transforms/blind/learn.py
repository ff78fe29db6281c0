"""What clues are worth, learned on some surgeries and tried on others.

Counts are whole numbers and so are weights, so that no sum depends on an order or a machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontology.keys import h64
from transforms.blind.clues import Clue
from transforms.blind.items import Ask, Items

KEY = "surgqa/blind-v1"
FOLDS = 5
SCALE = 4096
"""Weights are whole numbers of so many parts of a natural logarithm."""
BELIEF = 2.0
"""Options that a code has to be seen on, at chance, before it says much."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Items in parts: what is guessed together, and what a rule is chosen on.

    Attributes:
        fold: int64 (c) of each cell; surgeries of one fold are guessed from the other folds.
        start: int64 (c + 1) of each cell its first item.
    """

    fold: np.ndarray
    start: np.ndarray

    @property
    def folds(self) -> int:
        return int(self.fold.max()) + 1

    def of(self, fold: int) -> np.ndarray:
        """Cells of a fold."""
        return np.flatnonzero(self.fold == fold)


def in_cells(asks: Sequence[Ask]) -> tuple[list[Ask], Cells | None]:
    """Questions in folds by surgery, dealt in the order of the surgeries' digests.

    Of two folds each is halved by item, so that a rule can be chosen within the one that is
    learned from.

    Returns:
        The questions, cell by cell, and the cells; None where there is one surgery.
    """
    names = sorted({one.group for one in asks}, key=lambda name: (h64(KEY, name), name))
    folds = min(FOLDS, len(names))
    if folds < 2:
        return list(asks), None
    fold = {name: k % folds for k, name in enumerate(names)}
    halves = 2 if folds == 2 else 1
    where = [fold[one.group] * halves + h64(KEY, one.item_id) % halves for one in asks]
    order = sorted(range(len(asks)), key=lambda k: (where[k], k))
    start = np.searchsorted(sorted(where), np.arange(folds * halves + 1))
    return [asks[k] for k in order], Cells(np.arange(folds * halves) // halves, start)


class Weights:
    """What each code of a clue is worth, by the cells that are learned from.

    Args:
        found: the clue; its options ascend.
    """

    def __init__(self, found: Clue, items: Items, cells: Cells) -> None:
        self.clue, self.items, self.cells = found, items, cells
        self.offset = np.r_[0, np.cumsum(items.count)][cells.start]
        self.bounds = np.searchsorted(found.row, self.offset)
        sizes = np.diff(self.bounds)
        at = np.repeat(np.arange(len(sizes)), sizes) * found.codes + found.code
        shape, size = (len(sizes), found.codes), len(sizes) * found.codes
        share = 1 / items.count[items.item[found.row]]
        self.right = np.bincount(at, items.right[found.row], size).reshape(shape)
        self.seen = np.bincount(at, minlength=size).reshape(shape)
        # Rounded, so that sums of thirds are the same in any order.
        self.luck = np.round(np.bincount(at, share, size).reshape(shape), 6)

    def votes(self, learned: np.ndarray, cell: int, often: bool) -> np.ndarray:
        """float64, whole numbers: worth of the options of one cell.

        Args:
            learned: cells that are learned from.
            often: how often the code was right stands for its worth.
        """
        right, seen, luck = (one[learned].sum(axis=0) for one in (self.right, self.seen, self.luck))
        mine = slice(self.bounds[cell], self.bounds[cell + 1])
        first, last = self.offset[cell], self.offset[cell + 1]
        table = right if often else worth(right, seen, luck)
        return np.bincount(self.clue.row[mine] - first, table[self.clue.code[mine]], last - first)


def worth(right: np.ndarray, seen: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """Log odds of being right beside those of chance, in :data:`SCALE` parts, rounded.

    Args:
        right, seen, luck: of each code the options that were right, all options, and those that
            would have been right by chance.
    """
    share = np.divide(luck, seen, out=np.full(len(seen), 0.5), where=seen > 0)
    up = (right + BELIEF * share) / (luck + BELIEF * share)
    others = seen - luck + BELIEF * (1 - share)
    down = np.maximum(seen - right + BELIEF * (1 - share), 1e-9) / np.maximum(others, 1e-9)
    return np.rint(SCALE * (np.log(up) - np.log(down)))


@dataclass(frozen=True, slots=True)
class Picked:
    """What guessing the option with most votes gets, (n) each.

    Attributes:
        credit: share in [0, 1], ties shared evenly.
        sure: whether the right option alone has most votes.
        pick: place of the option with most votes, of ties the first.
    """

    credit: np.ndarray
    sure: np.ndarray
    pick: np.ndarray


def picked(count: np.ndarray, right: np.ndarray, votes: np.ndarray) -> Picked:
    """The option with most votes.

    Args:
        count: (n) options of each item.
        right, votes: of the options, item by item.
    """
    if not len(count):
        return Picked(np.zeros(0), np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int64))
    starts = np.cumsum(count) - count
    best = (votes == np.repeat(np.maximum.reduceat(votes, starts), count)).astype(np.float64)
    tied, hit = np.add.reduceat(best, starts), np.add.reduceat(best * right, starts)
    at = np.flatnonzero(best)
    return Picked(hit / tied, (hit > 0) & (tied == 1), at[np.searchsorted(at, starts)] - starts)


def joined(parts: Sequence[Picked]) -> Picked:
    """One after the other."""
    return Picked(*(np.concatenate([getattr(one, name) for one in parts])
                    for name in ("credit", "sure", "pick")))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trial:
    """A rule tried on all surgeries, each time learned on the others.

    Attributes:
        picked: on all items.
        inner: float64 (folds) what it gets inside of what is learned from, by the fold left out.
    """

    name: str
    structural: bool
    picked: Picked
    inner: np.ndarray


def tried(name: str, structural: bool, parts: Sequence[Weights], often: bool = False) -> Trial:
    """A rule of one clue, or of several whose votes are added.

    Args:
        often: it goes by how often something was right, not by how often where it was offered.
    """
    cells = parts[0].cells
    every = np.arange(len(cells.fold))
    found: dict[int, Picked] = {}
    inner = np.zeros(cells.folds)
    for fold in range(cells.folds):
        learned = every[cells.fold != fold]
        for cell in cells.of(fold):
            found[cell] = _guess(parts, learned, cell, often)
        trials = [_guess(parts, learned[learned != cell], cell, often).credit for cell in learned]
        inner[fold] = np.concatenate(trials).mean()
    return Trial(name, structural, joined([found[cell] for cell in every]), inner)


def _guess(parts: Sequence[Weights], learned: np.ndarray, cell: int, often: bool) -> Picked:
    """What is got of the items of one cell."""
    one = parts[0]
    first, last = one.offset[cell], one.offset[cell + 1]
    votes = np.sum([part.votes(learned, cell, often) for part in parts], axis=0)
    count = one.items.count[one.cells.start[cell] : one.cells.start[cell + 1]]
    return picked(count, one.items.right[first:last], votes)


def chosen(trials: Sequence[Trial], cells: Cells) -> tuple[Picked, list[str]]:
    """What the best rule gets where the best is chosen without the surgeries that are guessed.

    Returns:
        What it picks of each item, and of each fold the rule that was chosen; the first of those
        that are equally good.
    """
    best = [max(trials, key=lambda one: round(one.inner[k], 9)) for k in range(cells.folds)]
    parts = []
    for cell, fold in enumerate(cells.fold):
        mine = slice(cells.start[cell], cells.start[cell + 1])
        found = best[fold].picked
        parts.append(Picked(found.credit[mine], found.sure[mine], found.pick[mine]))
    return joined(parts), [one.name for one in best]

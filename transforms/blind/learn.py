"""Learn a weight for each code of a feature from some surgeries, and test the weights on others.

Counts and weights are whole numbers, so their sums are exact and the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from surgqa.ontology.keys import h64
from surgqa.transforms.blind.features import Feature
from surgqa.transforms.blind.items import Ask, Items

KEY = "surgqa/blind-v1"
FOLDS = 5
SCALE = 4096
"""Weights are natural logarithms multiplied by this number and rounded."""
BELIEF = 2.0
"""Number of imaginary options with chance accuracy that are added to the counts of each code."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Items divided into cells (runs of consecutive items) for nested cross-validation.

    Attributes:
        fold: int64 (c), the fold of each cell; the items of a fold are guessed with the other
            folds.
        start: int64 (c + 1), index of each cell's first item.
    """

    fold: np.ndarray
    start: np.ndarray

    @property
    def folds(self) -> int:
        return int(self.fold.max()) + 1

    def of(self, fold: int) -> np.ndarray:
        """Return the indices of a fold's cells."""
        return np.flatnonzero(self.fold == fold)

    def items(self, cell: int) -> slice:
        """Return the items of a cell."""
        return slice(self.start[cell], self.start[cell + 1])


def in_cells(asks: Sequence[Ask]) -> tuple[list[Ask], Cells | None]:
    """Divide questions into folds by surgery.

    Surgeries are sorted by digest and go to the folds in turn.

    With more than two folds, each fold is one cell. If there are only two folds, each is divided by
    item into two cells, so that a rule can be selected within the other fold by cross-validation.

    Returns:
        The questions, cell by cell, and the cells (None if there is only one surgery).
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


class FeatureWeights:
    """Counts of the correct options with each code, by cell, and weights computed from them.

    Args:
        found: the feature.
        fair: True to weight items so that answers are equally frequent; else each counts as one.
    """

    def __init__(self, found: Feature, items: Items, cells: Cells, fair: bool = False) -> None:
        self.feature, self.items, self.cells = found, items, cells
        self.weight = items.weight if fair else np.ones(len(items.count))
        self.offset = np.r_[0, np.cumsum(items.count)][cells.start]
        self.bounds = np.searchsorted(found.row, self.offset.astype(found.row.dtype))
        weight, share = self.weight[items.item], 1 / items.count[items.item]
        # Rounded, so that sums of thirds are the same in any order.
        self.right, self.seen, self.luck = (
            np.round([self._counted(one, cell) for cell in range(len(cells.fold))], 6)
            for one in (weight * items.right, weight, weight * share)
        )
        self._tables: dict[tuple[bytes, bool], np.ndarray] = {}

    def _counted(self, values: np.ndarray, cell: int) -> np.ndarray:
        """Return float64 (codes): the sum of ``values`` over a cell's options with each code."""
        row, code = (one[self._of(cell)] for one in (self.feature.row, self.feature.code))
        return np.bincount(code, values[row], self.feature.codes)

    def _of(self, cell: int) -> slice:
        """Return the slice of the codes that belongs to one cell's options."""
        return slice(self.bounds[cell], self.bounds[cell + 1])

    def votes(self, learned: np.ndarray, cell: int, often: bool) -> np.ndarray:
        """Return float64: for each option of a cell, the sum of its codes' weights.

        Args:
            learned: the cells to learn from.
            often: True to weight a code by the number of correct options with it, False by the
                share of the options with it that are correct.
        """
        mine = self._of(cell)
        first, last = self.offset[cell], self.offset[cell + 1]
        table = self._table(learned, often)
        return np.bincount(
            self.feature.row[mine] - first, table[self.feature.code[mine]], last - first
        )

    def _table(self, learned: np.ndarray, often: bool) -> np.ndarray:
        """Return the weight of each code, learned from some cells."""
        key = (learned.tobytes(), often)
        if key not in self._tables:
            right = self.right[learned].sum(axis=0)
            self._tables[key] = right if often else log_odds(
                right, self.seen[learned].sum(axis=0), self.luck[learned].sum(axis=0)
            )  # fmt: skip
        return self._tables[key]


def log_odds(right: np.ndarray, seen: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """Return the log odds ratio of being correct to being correct by chance, scaled and rounded.

    Args:
        right, seen, luck: for each code, the number of correct options, of all options, and of
            options expected to be correct by chance.
    """
    share = np.divide(luck, seen, out=np.full(len(seen), 0.5), where=seen > 0)
    up = (right + BELIEF * share) / (luck + BELIEF * share)
    others = seen - luck + BELIEF * (1 - share)
    down = np.maximum(seen - right + BELIEF * (1 - share), 1e-9) / np.maximum(others, 1e-9)
    return np.rint(SCALE * (np.log(up) - np.log(down)))


@dataclass(frozen=True, slots=True)
class Picked:
    """The options with most votes (sums of weights), as arrays (n) with one value for each item.

    Attributes:
        credit: 1 if the option with most votes is correct, 0 if not; 1/k if k options tie and one
            of them is correct.
        sure: True if only the correct option has most votes.
        pick: index of the option with most votes; the first one if several tie.
    """

    credit: np.ndarray
    sure: np.ndarray
    pick: np.ndarray


def picked(count: np.ndarray, right: np.ndarray, votes: np.ndarray) -> Picked:
    """Choose the option with most votes.

    Args:
        count: (n) number of options of each item.
        right, votes: arrays with one value for each option, item by item.
    """
    if not len(count):
        return Picked(np.zeros(0), np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int64))
    starts = np.cumsum(count) - count
    best = (votes == np.repeat(np.maximum.reduceat(votes, starts), count)).astype(np.float64)
    tied, hit = np.add.reduceat(best, starts), np.add.reduceat(best * right, starts)
    at = np.flatnonzero(best)
    return Picked(hit / tied, (hit > 0) & (tied == 1), at[np.searchsorted(at, starts)] - starts)


def joined(parts: Sequence[Picked]) -> Picked:
    """Concatenate results."""
    return Picked(*(np.concatenate([getattr(one, name) for one in parts])
                    for name in ("credit", "sure", "pick")))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trial:
    """Cross-validated result of one rule.

    Attributes:
        picked: result on all items; each item is guessed with weights learned from other surgeries.
        inner: float64 (folds): for each fold, the cross-validated accuracy on all other folds, with
            the item weights that the rule was learned with.
    """

    name: str
    structural: bool
    picked: Picked
    inner: np.ndarray


def cross_validated(
    name: str, structural: bool, parts: Sequence[FeatureWeights], often: bool = False
) -> Trial:
    """Cross-validate a rule that adds the votes of one or more features.

    Args:
        often: passed to :meth:`FeatureWeights.votes`.
    """
    cells = parts[0].cells
    every = np.arange(len(cells.fold))
    found: dict[int, Picked] = {}
    inner = np.zeros(cells.folds)
    for fold in range(cells.folds):
        learned = every[cells.fold != fold]
        for cell in cells.of(fold):
            found[int(cell)] = _guess(parts, learned, int(cell), often)
        trials = [_guess(parts, learned[learned != cell], cell, often).credit for cell in learned]
        weight = np.concatenate([parts[0].weight[cells.items(cell)] for cell in learned])
        inner[fold] = np.average(np.concatenate(trials), weights=weight)
    return Trial(name, structural, joined([found[k] for k in range(len(cells.fold))]), inner)


def _guess(parts: Sequence[FeatureWeights], learned: np.ndarray, cell: int, often: bool) -> Picked:
    """Guess the items of one cell by the sum of the votes of all features in ``parts``."""
    one = parts[0]
    first, last = one.offset[cell], one.offset[cell + 1]
    votes = np.sum([part.votes(learned, cell, often) for part in parts], axis=0)
    return picked(one.items.count[one.cells.items(cell)], one.items.right[first:last], votes)


def chosen(trials: Sequence[Trial], cells: Cells) -> tuple[Picked, list[str]]:
    """Select for each fold the rule with the best cross-validated accuracy on all other folds.

    Returns:
        The selected rule's result on each item, and its name for each fold. Of equally good rules,
        the first is selected.
    """
    best = [max(trials, key=lambda one: round(one.inner[k], 9)) for k in range(cells.folds)]
    parts = []
    for cell, fold in enumerate(cells.fold):
        mine, found = cells.items(cell), best[fold].picked
        parts.append(Picked(found.credit[mine], found.sure[mine], found.pick[mine]))
    return joined(parts), [one.name for one in best]

"""Learn the value of each code of a feature from some surgeries, and test it on others.

Counts and weights are whole numbers, so sums do not depend on their order or on the machine.
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
"""Weights are natural logarithms multiplied by this and rounded."""
BELIEF = 2.0
"""Pseudo-counts at chance level that are added to each code."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Items divided into cells, for nested cross-validation.

    Attributes:
        fold: int64 (c), outer fold of each cell; items of a fold are guessed from the other folds.
        start: int64 (c + 1), index of each cell's first item.
    """

    fold: np.ndarray
    start: np.ndarray

    @property
    def folds(self) -> int:
        return int(self.fold.max()) + 1

    def of(self, fold: int) -> np.ndarray:
        """Return cells of a fold."""
        return np.flatnonzero(self.fold == fold)

    def items(self, cell: int) -> slice:
        """Return the items of a cell."""
        return slice(self.start[cell], self.start[cell + 1])


def in_cells(asks: Sequence[Ask]) -> tuple[list[Ask], Cells | None]:
    """Divide questions into folds by surgery, round robin in the order of the surgeries' digests.

    With more than two folds, each fold is one cell.  Two folds have two cells each, divided by
    item, so that a rule can be selected within the single fold that remains.

    Returns:
        Return the questions, cell by cell, and the cells; None if there is only one surgery.
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
    """Counts of a feature's codes by cell, and the weights computed from some of the cells.

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
        """Return float64 (codes), sum of the values of one cell's options with each code."""
        row, code = (one[self._of(cell)] for one in (self.feature.row, self.feature.code))
        return np.bincount(code, values[row], self.feature.codes)

    def _of(self, cell: int) -> slice:
        """Return the slice of the codes that belongs to one cell's options."""
        return slice(self.bounds[cell], self.bounds[cell + 1])

    def votes(self, learned: np.ndarray, cell: int, often: bool) -> np.ndarray:
        """float64, whole numbers: for each option of one cell, the sum of its weights.

        Args:
            learned: cells to learn from.
            often: True to weight a code by how often it was correct, not by the share of its
                options that were.
        """
        mine = self._of(cell)
        first, last = self.offset[cell], self.offset[cell + 1]
        table = self._table(learned, often)
        return np.bincount(
            self.feature.row[mine] - first, table[self.feature.code[mine]], last - first
        )

    def _table(self, learned: np.ndarray, often: bool) -> np.ndarray:
        """Weight of each code; cached, because rules with many features ask for it again."""
        key = (learned.tobytes(), often)
        if key not in self._tables:
            right = self.right[learned].sum(axis=0)
            self._tables[key] = right if often else log_odds(
                right, self.seen[learned].sum(axis=0), self.luck[learned].sum(axis=0)
            )  # fmt: skip
        return self._tables[key]


def log_odds(right: np.ndarray, seen: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """Log odds ratio of being right and of being right by chance, times :data:`SCALE`, rounded.

    Args:
        right, seen, luck: for each code, the number of correct options, of all options, and of
            options that are correct by chance.
    """
    share = np.divide(luck, seen, out=np.full(len(seen), 0.5), where=seen > 0)
    up = (right + BELIEF * share) / (luck + BELIEF * share)
    others = seen - luck + BELIEF * (1 - share)
    down = np.maximum(seen - right + BELIEF * (1 - share), 1e-9) / np.maximum(others, 1e-9)
    return np.rint(SCALE * (np.log(up) - np.log(down)))


@dataclass(frozen=True, slots=True)
class Picked:
    """Result of choosing the option with most votes, (n) each.

    Attributes:
        credit: share in [0, 1] of the item that counts as answered. Tied options share it evenly.
        sure: True if only the correct option has most votes.
        pick: index of the option with most votes, the first of ties.
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
        picked: result on all items, each guessed from other surgeries.
        inner: float64 (folds), accuracy within the training part, by the fold that is left out;
            items have the weights with which the rule was learned.
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
        often: passed to :meth:`Weights.votes`.
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
    """Guess the items of one cell."""
    one = parts[0]
    first, last = one.offset[cell], one.offset[cell + 1]
    votes = np.sum([part.votes(learned, cell, often) for part in parts], axis=0)
    return picked(one.items.count[one.cells.items(cell)], one.items.right[first:last], votes)


def chosen(trials: Sequence[Trial], cells: Cells) -> tuple[Picked, list[str]]:
    """Select the best rule for each fold by its accuracy within the training part.

    Returns:
        The selected rule's result on each item, and the rule's name for each fold; the first of
        equally good rules.
    """
    best = [max(trials, key=lambda one: round(one.inner[k], 9)) for k in range(cells.folds)]
    parts = []
    for cell, fold in enumerate(cells.fold):
        mine, found = cells.items(cell), best[fold].picked
        parts.append(Picked(found.credit[mine], found.sure[mine], found.pick[mine]))
    return joined(parts), [one.name for one in best]

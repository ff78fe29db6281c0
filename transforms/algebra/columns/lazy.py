"""Columns of facts for selected rows; each column is gathered when it is first read."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping

import numpy as np

from surgqa.transforms.timeline.relation.table import NONE

Columns = Mapping[str, np.ndarray]

BLANK = {"i": NONE, "f": np.nan, "b": False}
"""Kind of array (letter of its dtype) -> the value that stands where there is no row."""


class SelectedColumns(Mapping[str, np.ndarray]):
    """The columns of some rows of a table, copied only when a column is first read.

    Row k is row ``index[k]`` of ``base``. The facts that a pattern may select are usually filtered
    several times by one or two columns, and most other columns are never read.

    Args:
        index: int64 (m,); where it is negative, there is no row and all values are blank.
    """

    def __init__(self, base: Columns, index: np.ndarray) -> None:
        self._base, self._index = base, index
        self._made: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._made:
            made = rows_of(self._base[name], self._index)
            made[self._index < 0] = BLANK[made.dtype.kind]
            self._made[name] = made
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._base)

    def __len__(self) -> int:
        return len(self._base)

    def take(self, index: np.ndarray) -> SelectedColumns:
        """Return some of these rows, copied directly from the original table."""
        if not len(self._index):
            return SelectedColumns(self, index)
        return SelectedColumns(self._base, np.where(index < 0, -1, self._index[index]))


def taken(columns: Columns, which: np.ndarray) -> Columns:
    """Return the rows selected by a mask or an index, in the index's order."""
    index = np.flatnonzero(which) if which.dtype == bool else which
    return (
        columns.take(index)
        if isinstance(columns, SelectedColumns)
        else SelectedColumns(columns, index)
    )


def changed(columns: Columns, **others: np.ndarray) -> Columns:
    """Return the columns, with some of them replaced."""
    return ChainMap(others, columns)  # type: ignore[arg-type]


def rows_of(column: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Return rows of a column (n, ...), blank if ``index`` is negative or the column empty."""
    return column[index] if len(column) else np.zeros((len(index), *column.shape[1:]), column.dtype)

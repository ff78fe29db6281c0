"""Columns of facts for other rows, each gathered when it is first asked for."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping

import numpy as np

from transforms.timeline.relation.table import NONE

Columns = Mapping[str, np.ndarray]

BLANK = {"i": NONE, "f": np.nan, "b": False}
"""What stands in a column of a kind of numbers where there is no row."""


class Taken(Mapping[str, np.ndarray]):
    """The columns of other rows: row k is row ``index[k]`` of the base.

    Most candidates of a pattern are narrowed down several times by one column or two; what nobody
    asks for is never gathered.

    Args:
        index: int64 (m,); where it is negative there is no row, and all that is read is blank.
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

    def take(self, index: np.ndarray) -> Taken:
        """Some of these rows, gathered from the base at once."""
        if not len(self._index):
            return Taken(self, index)
        return Taken(self._base, np.where(index < 0, -1, self._index[index]))


def taken(columns: Columns, which: np.ndarray) -> Columns:
    """Some of the rows (mask or index), in the index's order."""
    index = np.flatnonzero(which) if which.dtype == bool else which
    return columns.take(index) if isinstance(columns, Taken) else Taken(columns, index)


def changed(columns: Columns, **others: np.ndarray) -> Columns:
    """The columns with others in place of some."""
    return ChainMap(others, columns)  # type: ignore[arg-type]


def rows_of(column: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Rows of a column (n, ...); of no rows any row is blank."""
    return column[index] if len(column) else np.zeros((len(index), *column.shape[1:]), column.dtype)

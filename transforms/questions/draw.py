"""Drawing one filling per window, by key alone.

Among the fillings that pass, the slots named in ``draw.first`` are drawn one after
another (each of their values equally likely), then preferences, then the smallest
hash.  With lazy tests left, fillings are tried in that order until one passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ontology.keys import mix64
from transforms.questions.candidates import Candidates


def rank(
    table: Candidates,
    rows: np.ndarray,
    key: np.ndarray,
    first: tuple[str, ...],
    preferred: list[np.ndarray],
) -> list[np.ndarray]:
    """Sort keys of the rows, most significant first.

    Args:
        rows: int (K,) rows of the table that pass, ascending.
        key: uint64 (W,), the draw's key for each window.
        preferred: bool (R,) masks, most wanted first.
    """
    salt = key[table.window[rows]]
    keys = [mix64(mix64(table.slot_codes[slot][rows] ^ salt)) for slot in first]
    keys += [~mask[rows] for mask in preferred]
    return [*keys, mix64(table.codes[rows] ^ salt)]


def first_rows(table: Candidates, rows: np.ndarray, keys: list[np.ndarray]) -> np.ndarray:
    """The first row of each window in the order of the keys (ties: the earlier row)."""
    for values in keys:
        if not len(rows):
            break
        window = table.window[rows]
        starts = np.flatnonzero(np.concatenate([[True], np.diff(window) > 0]))
        least = np.minimum.reduceat(values, starts)
        keep = values == np.repeat(least, np.diff([*starts, len(rows)]))
        rows = rows[keep]
        keys[:] = [k[keep] for k in keys]
        values = values[keep]
    if not len(rows):
        return rows
    starts = np.concatenate([[True], np.diff(table.window[rows]) > 0])
    return rows[starts]


def in_order(rows: np.ndarray, keys: list[np.ndarray]) -> Iterator[int]:
    """Rows of one window in the order of the draw."""
    for index in np.lexsort(keys[::-1]):
        yield int(rows[index])


def draw(
    table: Candidates,
    passed: np.ndarray,
    key: np.ndarray,
    first: tuple[str, ...],
    preferred: list[np.ndarray],
    accept: Callable[[int], bool] | None,
) -> dict[int, int]:
    """Window -> drawn row.

    Args:
        accept: lazy tests on one row, None where there are none.
    """
    rows = np.flatnonzero(passed)
    keys = rank(table, rows, key, first, preferred)
    if accept is None:
        return {int(table.window[r]): int(r) for r in first_rows(table, rows, keys)}
    drawn: dict[int, int] = {}
    window = table.window[rows]
    for w in np.unique(window).tolist():
        part = slice(*np.searchsorted(window, [w, w + 1]).tolist())
        for row in in_order(rows[part], [k[part] for k in keys]):
            if accept(row):
                drawn[w] = row
                break
    return drawn

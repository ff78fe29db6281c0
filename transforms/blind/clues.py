"""What a guesser goes by: a clue gives options codes, each worth what it was elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from transforms.blind.items import Items


@dataclass(frozen=True, slots=True)
class Clue:
    """Codes of options.

    Attributes:
        name: as it is shown.
        structural: it looks at the options alone, or at numbers told beside them, and not at
            what a question's words have to do with an answer's.
        row: int64 (p) the options that have a code; an option may have several.
        code: int64 (p) from 0 on, without gaps.
        codes: how many there are.
    """

    name: str
    structural: bool
    row: np.ndarray
    code: np.ndarray
    codes: int


Finder = Callable[[Items], Iterator[Clue]]


def clue(name: str, structural: bool, codes: np.ndarray, rows: np.ndarray | None = None) -> Clue:
    """A clue of whole numbers; a negative one is no code.

    Args:
        codes: int64, one for each option, or one for each of ``rows``.
    """
    known = codes >= 0
    where = np.flatnonzero(known) if rows is None else rows[known]
    values, dense = np.unique(codes[known], return_inverse=True)
    return Clue(name, structural, where, dense.astype(np.int64), len(values))


def useful(found: Clue, items: Items) -> bool:
    """Whether options of one item differ in their codes, anywhere."""
    if found.codes < 2:
        return False
    single = len(np.unique(found.row)) == len(found.row)
    if not single:
        return True
    codes = np.full(len(items.item), -1, dtype=np.int64)
    codes[found.row] = found.code
    return bool(np.any((codes[1:] != codes[:-1]) & (items.item[1:] == items.item[:-1])))


def ranks(items: Items, values: np.ndarray) -> np.ndarray:
    """Place of each option's value among its item's, and how many options there are, as a code.

    Args:
        values: float64 (m); nan where an option has none: its whole item has no rank then.

    Returns:
        int64 (m): of equal values the same, counted from the smallest; -1 without a rank.
    """
    item = items.item
    order = np.lexsort((values, item))
    ordered, owner = values[order], item[order]
    new = np.r_[True, owner[1:] != owner[:-1]]
    step = np.r_[False, ordered[1:] > ordered[:-1]] & ~new
    run = np.cumsum(step)
    rank = run - run[np.flatnonzero(new)][np.cumsum(new) - 1]
    out = np.empty(len(item), dtype=np.int64)
    out[order] = rank
    return np.where(defined(items, values), mixed(out, items.count[item]), -1)


def defined(items: Items, values: np.ndarray) -> np.ndarray:
    """bool (m): all options of the item have a value."""
    lacking = np.bincount(items.item, weights=np.isnan(values), minlength=len(items.count))
    return (lacking == 0)[items.item]


def summed(items: Items, values: np.ndarray) -> np.ndarray:
    """float64 (m): the sum of an item's values, at each of its options."""
    return np.bincount(items.item, weights=values, minlength=len(items.count))[items.item]


def mixed(*parts: np.ndarray) -> np.ndarray:
    """One code for each combination of codes."""
    out = np.zeros(len(parts[0]), dtype=np.int64)
    for one in parts:
        values, dense = np.unique(one, return_inverse=True)
        out = out * len(values) + dense
        _, out = np.unique(out, return_inverse=True)
    return out.astype(np.int64)


def numbered(keys: list[str]) -> np.ndarray:
    """int64: the same number for the same text."""
    seen: dict[str, int] = {}
    return np.array([seen.setdefault(one, len(seen)) for one in keys], dtype=np.int64)

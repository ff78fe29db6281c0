"""The type of features of answer options, and functions that make their codes.

A feature gives an option one code (such as its rank in the item) or several (one for each of its
words). :mod:`transforms.blind.learn` counts how often options with a code are correct.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surgqa.transforms.blind.items import Items


@dataclass(frozen=True, slots=True)
class Feature:
    """The codes that a property gives to the options of all items.

    Attributes:
        name: printed name.
        structural: True if the feature compares the options with each other, or with the words and
            numbers of the question, so that it does not learn which answer is frequent.
        row: int (p), the option of each code, as an ascending index; an option may have several
            codes.
        code: int (p), the codes, numbered from 0 without gaps.
        codes: number of different codes.
    """

    name: str
    structural: bool
    row: np.ndarray
    code: np.ndarray
    codes: int


def feature(
    name: str, structural: bool, codes: np.ndarray, rows: np.ndarray | None = None
) -> Feature:
    """Return a feature with its codes renumbered from 0; a negative number means "no code".

    Args:
        codes: int, one for each option, or one for each of ``rows``.
        rows: int, ascending indices of options; needed if an option may have several codes.
    """
    known = codes >= 0
    if not known.all():
        rows, codes = np.flatnonzero(known) if rows is None else rows[known], codes[known]
    dense, size = densely(codes)
    where = np.arange(len(codes)) if rows is None else rows
    return Feature(name, structural, where, dense, size)


def useful(found: Feature, items: Items) -> bool:
    """Return whether at least one item has options with different codes."""
    if found.codes < 2:
        return False
    if np.any(found.row[1:] == found.row[:-1]):
        return True
    codes = np.full(len(items.item), -1, dtype=np.int64)
    codes[found.row] = found.code
    return bool(np.any((codes[1:] != codes[:-1]) & (items.item[1:] == items.item[:-1])))


def ranks(items: Items, values: np.ndarray) -> np.ndarray:
    """Return the rank of each option's value within its item, combined with the number of options.

    Args:
        values: float64 (m), nan for an option without a value. If one option of an item has no
            value, none of its options gets a rank.

    Returns:
        int64 (m): one code for each combination of rank (0 for the smallest value; equal values
        have equal ranks) and number of options; -1 without a rank.
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
    """Return bool (m): True if all options of the item have a value."""
    lacking = np.bincount(items.item, weights=np.isnan(values), minlength=len(items.count))
    return (lacking == 0)[items.item]


def summed(items: Items, values: np.ndarray) -> np.ndarray:
    """Return float64 (m): for each option, the sum of the values of all options of its item."""
    return np.bincount(items.item, weights=values, minlength=len(items.count))[items.item]


def mixed(*parts: np.ndarray) -> np.ndarray:
    """Return int64 codes that are equal where the codes of all ``parts`` are equal."""
    out = np.zeros(len(parts[0]), dtype=np.int64)
    for one in parts:
        dense, size = densely(one)
        out, _ = densely(out * size + dense)
    return out


def densely(codes: np.ndarray) -> tuple[np.ndarray, int]:
    """Return codes renumbered from 0 without gaps in the same order, and the number of codes.

    If the codes lie close together, a lookup table is used, which is faster than sorting.
    """
    low, high = (
        (int(codes.min()), int(codes.max())) if codes.dtype.kind == "i" and len(codes) else (0, -1)
    )
    if 0 <= high - low < 4 * len(codes):
        there = np.zeros(high - low + 1, dtype=bool)
        there[codes - low] = True
        number = np.cumsum(there, dtype=codes.dtype) - 1
        return number[codes - low], int(number[-1]) + 1
    values, dense = np.unique(codes, return_inverse=True)
    return dense.astype(np.int64), len(values)


def numbered(keys: list[str]) -> np.ndarray:
    """Return int64 codes of texts: equal texts get equal codes, from 0 in order of occurrence."""
    seen: dict[str, int] = {}
    return np.array([seen.setdefault(one, len(seen)) for one in keys], dtype=np.int64)


def spread(owner: np.ndarray, codes: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes of all options, given the codes of each text.

    Args:
        owner: int64 (m), for each option the index of its text in ``codes``.
        codes: one list of codes for each text.

    Returns:
        Two int32 arrays (p): the index of an option, ascending, and one of its codes.
    """
    sizes = np.array([len(some) for some in codes], dtype=np.int64)
    flat = np.array([one for some in codes for one in some], dtype=np.int32)
    starts = np.cumsum(sizes) - sizes
    per_row = sizes[owner]
    first = starts[owner] - (np.cumsum(per_row) - per_row)
    at = np.arange(per_row.sum(), dtype=np.int32) + np.repeat(first.astype(np.int32), per_row)
    return np.repeat(np.arange(len(owner), dtype=np.int32), per_row), flat[at]

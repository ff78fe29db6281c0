"""Candidates: every interval that reaches into the bounds of a filling, and no other."""

from __future__ import annotations

import numpy as np
import pytest

from surgqa.transforms.algebra.columns import near
from tests.each import cases


def drawn(seed: int, many: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of intervals, some of them without an end."""
    rng = np.random.default_rng(seed)
    low = rng.integers(0, most, many)
    long = np.where(rng.random(many) < 0.1, 1 << 50, rng.integers(0, 9, many))
    return low, low + long


def by_hand(of, begin, end, index, low, high):
    return [(i, k) for i in range(len(low)) for k in range(len(begin))
            if of[k] == index[i] and begin[k] <= high[i] and end[k] >= low[i]]  # fmt: skip


@pytest.mark.parametrize("at_once", [5, 1 << 20])
@pytest.mark.parametrize("seed", range(12))
def test_pairs_are_those_that_meet(monkeypatch, seed, at_once):
    monkeypatch.setattr(near, "AT_ONCE", at_once)
    begin, end = drawn(seed, 30, 60)
    begin, end = begin[order := np.argsort(begin)], end[order]
    low, high = drawn(seed + 100, 20, 60)
    found = zip(*(column.tolist() for column in near._pairs(begin, end, low, high)), strict=True)
    none = np.zeros(60, np.int64)
    assert list(found) == by_hand(none, begin, end, none, low, high)


@cases("seed", range(12))
def test_within_a_collection_none_of_another_is_met(seed):
    rng = np.random.default_rng(seed)
    begin, end = drawn(seed, 40, 60)
    low, high = drawn(seed + 100, 20, 60)
    of, index = np.sort(rng.integers(0, 4, 40)), rng.integers(0, 5, 20)
    found = near._pairs_within(of, begin, end, index, low, high)
    pairs = list(zip(*(column.tolist() for column in found), strict=True))
    assert pairs == by_hand(of, begin, end, index, low, high)


def test_of_nothing_there_are_no_pairs():
    none = np.zeros(0, np.int64)
    one = np.array([3])
    for begin, low in ((none, one), (one, none), (none, none)):
        found = near._pairs_within(begin * 0, begin, begin, low * 0, low, low)
        assert [len(column) for column in found] == [0, 0]

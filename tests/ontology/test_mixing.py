"""Mixing in bulk: splitmix64 as published, and nothing that two codes share."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.mixing import combine, mix64


def splitmix(z: int) -> int:
    """splitmix64's output for the state z, with Python's integers."""
    whole = 2**64 - 1
    z = (z + 0x9E3779B97F4A7C15) & whole
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & whole
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & whole
    return z ^ (z >> 31)


def test_pinned_values():
    """They never change: every drawn filling hangs on them."""
    # splitmix64 started at 0: its first outputs as published with the algorithm.
    gamma = 0x9E3779B97F4A7C15
    states = np.array([0, gamma, 2 * gamma % 2**64], np.uint64)
    assert mix64(states).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=50, unique=True))
def test_mix64_is_splitmix_and_keeps_different_values_different(values):
    mixed = mix64(np.array(values, np.uint64)).tolist()
    assert mixed == [splitmix(value) for value in values]
    assert len(set(mixed)) == len(values)


def test_mix64_keeps_neighbouring_codes_apart():
    mixed = mix64(np.arange(100_000, dtype=np.uint64))
    assert len(np.unique(mixed)) == 100_000
    assert abs(float((mixed >> np.uint64(63)).mean()) - 0.5) < 0.01


def test_folding_columns_depends_on_their_order():
    a, b = np.array([1], np.uint64), np.array([2], np.uint64)
    assert combine(combine(np.zeros(1, np.uint64), a), b) != combine(
        combine(np.zeros(1, np.uint64), b), a
    )

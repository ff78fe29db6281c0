"""Overlap of two stretches whose borders are known within bounds."""

from __future__ import annotations

import numpy as np
import pytest

from surgqa.transforms.algebra.columns.values import Range, Stretch
from surgqa.transforms.algebra.operators.picture.columns import _of_stretches

N = 400


def overlap(a0: np.ndarray, a1: np.ndarray, b0: np.ndarray, b1: np.ndarray) -> np.ndarray:
    both = np.maximum(np.minimum(a1, b1) - np.maximum(a0, b0), 0)
    return both / (a1 - a0 + b1 - b0 - both)


@pytest.mark.parametrize("slack", [0, 5])
def test_bounds_hold_every_overlap_that_the_borders_allow(slack: int):
    rng = np.random.default_rng(slack)
    start = rng.integers(50, 90, (2, N))
    at = np.stack([start, start + 2 * slack + rng.integers(1, 40, (2, N))], axis=1).reshape(4, N)
    low, high = at - rng.integers(0, slack + 1, at.shape), at + rng.integers(0, slack + 1, at.shape)
    a0, a1, b0, b1 = (Range.of(*one, np.ones(N, bool)) for one in zip(low, at, high, strict=True))
    found = _of_stretches(Stretch(a0, a1), Stretch(b0, b1))
    assert found.ok.all()
    np.testing.assert_allclose(found.at, overlap(*at))
    for _ in range(50):
        real = overlap(*rng.integers(low, high + 1))
        assert ((found.lo <= real + 1e-12) & (real <= found.hi + 1e-12)).all()
    if not slack:
        np.testing.assert_allclose([found.lo, found.hi], [found.at, found.at])

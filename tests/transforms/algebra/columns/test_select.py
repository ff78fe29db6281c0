"""An instant as a stretch."""

from __future__ import annotations

import numpy as np
import pytest

from surgqa.transforms.algebra.columns.select import stretch_of
from surgqa.transforms.algebra.columns.values import Range


@pytest.mark.parametrize(("low", "high"), [(7, 7), (3, 9)])
def test_an_instant_is_a_stretch_of_a_microsecond_however_exactly_it_is_known(low, high):
    bounds = (np.array([k]) for k in (low, 7, high))
    found = stretch_of(Range.of(*bounds, np.array([True])))
    assert found.ok.tolist() == [True]
    assert [int(one[0]) for one in (found.start.lo, found.start.at, found.start.hi)] == [
        low,
        7,
        high,
    ]
    assert [int(one[0]) for one in (found.end.lo, found.end.at, found.end.hi)] == [
        low + 1, 8, high + 1
    ]  # fmt: skip


def test_an_instant_that_is_not_known_is_no_stretch():
    seven = np.array([7])
    assert stretch_of(Range.of(seven, seven, seven, np.array([False]))).ok.tolist() == [False]

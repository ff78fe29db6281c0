"""Broadcast: whose label holds at a time, and where none is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.records import UNKNOWN
from surgqa.transforms.steps.dense import HALF_US as HALF
from surgqa.transforms.steps.dense import nearest_annotated


def nearest(instants, *times):
    found = nearest_annotated(np.array(instants, np.int64), np.array(times, np.int64))
    return found.tolist()


def plainly(instants, time):
    """The nearest instant whose [t - half, t + half) holds the time; half-way: the later one."""
    holding = [k for k, t in enumerate(instants) if t - HALF <= time < t + HALF]
    return min(holding, key=lambda k: (abs(instants[k] - time), -k), default=UNKNOWN)


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        pytest.param(1_000_000, 0, id="at-the-instant"),
        pytest.param(1_499_999, 0, id="just-before-half-way"),
        pytest.param(1_500_000, 1, id="half-way-belongs-to-the-later"),
        pytest.param(500_000, 0, id="first-moment-known"),
        pytest.param(499_999, UNKNOWN, id="before-everything"),
        pytest.param(2_499_999, 1, id="last-moment-known"),
        pytest.param(2_500_000, UNKNOWN, id="after-an-instant-with-a-gap-behind-it"),
        pytest.param(3_500_000, 2, id="before-an-instant-with-a-gap-before-it"),
        pytest.param(9_000_000, UNKNOWN, id="after-everything"),
    ],
)
def test_whose_label_holds(time, expected):
    assert nearest([1_000_000, 2_000_000, 4_000_000], time) == [expected]


def test_without_annotations_nothing_is_known():
    assert nearest([], 0, 1) == [UNKNOWN, UNKNOWN]


times = st.integers(0, 40).map(lambda k: k * 125_000)


@given(instants=st.lists(times, max_size=8, unique=True).map(sorted), asked=st.lists(times))
def test_every_time_gets_the_nearest_label_that_holds(instants, asked):
    assert nearest(instants, *asked) == [plainly(instants, time) for time in asked]

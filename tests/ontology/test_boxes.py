"""Boxes: overlaps by hand, and what must hold for any two."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.boxes import (
    area,
    centres,
    clipped_box,
    distance,
    iou,
    pixel_box,
    print_box,
)

UNIT = [0.0, 0.0, 1.0, 1.0]
QUARTER = [0.0, 0.0, 0.5, 0.5]


def one(a, b):
    return float(iou(np.array(a), np.array(b)))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        pytest.param(QUARTER, [0.75, 0.75, 1.0, 1.0], 0.0, id="disjoint"),
        pytest.param(QUARTER, [0.75, 0.0, 1.0, 0.5], 0.0, id="disjoint-across-only"),
        pytest.param(QUARTER, [0.5, 0.0, 1.0, 0.5], 0.0, id="touching-at-an-edge"),
        pytest.param(QUARTER, [0.5, 0.5, 1.0, 1.0], 0.0, id="touching-at-a-corner"),
        pytest.param(UNIT, QUARTER, 0.25, id="contained"),
        pytest.param(UNIT, [0.25, 0.25, 0.75, 0.75], 0.25, id="contained-inside"),
        pytest.param(QUARTER, QUARTER, 1.0, id="identical"),
        pytest.param([0.0, 0.0, 0.5, 1.0], [0.25, 0.0, 0.75, 1.0], 1 / 3, id="half-over-half"),
        pytest.param([0.2, 0.2, 0.2, 0.4], [0.2, 0.2, 0.2, 0.4], 0.0, id="no-area"),
        pytest.param(QUARTER, [np.nan] * 4, 0.0, id="no-box"),
    ],
)
def test_iou(a, b, expected):
    assert one(a, b) == expected


def test_the_pair_before_does_not_leak_into_one_that_is_apart():
    """A published script kept the last overlap where the next pair had none."""
    first = np.array([QUARTER, QUARTER, QUARTER])
    second = np.array([QUARTER, [0.75, 0.75, 1.0, 1.0], QUARTER])
    assert iou(first, second).tolist() == [1.0, 0.0, 1.0]


@st.composite
def boxes(draw):
    x1, x2 = sorted(draw(st.lists(st.floats(0, 1), min_size=2, max_size=2)))
    y1, y2 = sorted(draw(st.lists(st.floats(0, 1), min_size=2, max_size=2)))
    return [x1, y1, x2, y2]


@given(a=boxes(), b=boxes())
def test_iou_is_symmetric_and_a_share(a, b):
    assert one(a, b) == one(b, a)
    assert 0.0 <= one(a, b) <= 1.0


@given(a=boxes())
def test_iou_with_itself_is_one_where_there_is_an_area(a):
    assert one(a, a) == (1.0 if area(np.array(a)) > 0 else 0.0)


def test_many_boxes_at_once_are_those_boxes_one_by_one():
    a = np.array([UNIT, QUARTER])[:, None]
    b = np.array([QUARTER, [0.25, 0.25, 0.75, 0.75]])[None]
    expected = [[one(p[0], q) for q in b[0]] for p in a]
    assert iou(a, b).tolist() == expected


@pytest.mark.parametrize(
    ("box", "decimals", "expected"),
    [
        pytest.param([0.154, 0.387, 0.344, 0.477], 0, "[154, 387, 344, 477]", id="list"),
        pytest.param([0.0005, 0.0015, 0.5, 1.0], 0, "[1, 2, 500, 1000]", id="halves-go-up"),
        pytest.param([0.15421, 0.0, 0.25, 1.0], 1, "[154.2, 0.0, 250.0, 1000.0]", id="one-decimal"),
        pytest.param([-0.0001, 0.0, 0.1, 0.1], 0, "[0, 0, 100, 100]", id="no-minus-zero"),
    ],
)
def test_print_box(box, decimals, expected):
    assert print_box(box, decimals) == expected


def test_centre_and_distance_of_corners():
    corners = np.array([[0.1, 0.2, 0.5, 0.4], [0.9, 0.9, 1.1, 1.2]])
    np.testing.assert_allclose(centres(corners), [[0.3, 0.3], [1.0, 1.05]])
    assert float(distance(np.array([0.0, 0.0]), np.array([0.3, 0.4]))) == 0.5


def test_boxes_are_clipped_to_the_picture_or_are_none() -> None:
    assert pixel_box(30, 40, 10, 20, 100, 100) == (0.1, 0.2, 0.3, 0.4)
    assert pixel_box(-10, 0, 50, 200, 100, 100) == (0.0, 0.0, 0.5, 1.0)
    assert pixel_box(10, 10, 10, 20, 100, 100) is None
    assert clipped_box((1.1, 0, 1.4, 1)) is None

"""Formulas against values worked out by hand and published vectors."""

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgqa.transforms.scoring import measures
from tests.each import cases

A = (0.1, 0.1, 0.3, 0.3)


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        pytest.param(A, 1.0, id="identical"),
        pytest.param((0.5, 0.5, 0.6, 0.6), 0.0, id="disjoint"),
        pytest.param((0.3, 0.1, 0.5, 0.3), 0.0, id="touching"),
        pytest.param((0.15, 0.15, 0.25, 0.25), 0.25, id="contained"),
        pytest.param((0.2, 0.1, 0.4, 0.3), 1 / 3, id="half-over"),
    ],
)
def test_iou(box, expected):
    assert measures.iou(A, box) == pytest.approx(expected)
    assert measures.iou(box, A) == pytest.approx(expected)


def test_identical_boxes_without_area_overlap_fully():
    assert measures.iou((0.1, 0.1, 0.1, 0.3), (0.1, 0.1, 0.1, 0.3)) == 1.0


def test_opposite_corners_are_the_largest_spatial_error():
    assert measures.spatial_error((0, 0, 0, 0), (1, 1, 1, 1)) == pytest.approx(1.0)


def test_published_vector_of_the_spatiotemporal_composite():
    """D = 25; gold at 0.00 s and 22.30 s, predicted at 1.00 s and 20.00 s (spec 2.9)."""

    def box(*edges):
        return tuple(edge / 1000 for edge in edges)

    first = (
        measures.temporal_error(1.0, 0.0, 25),
        measures.spatial_error(box(156, 389, 346, 479), box(156, 389, 346, 479)),
    )
    second = (
        measures.temporal_error(20.0, 22.3, 25),
        measures.spatial_error(box(301, 336, 551, 479), box(251, 336, 501, 479)),
    )
    assert first == pytest.approx((0.04, 0.0))
    assert second == pytest.approx((0.092, 0.035355), abs=1e-6)
    assert measures.spatiotemporal_error([second]) == pytest.approx(0.098560, abs=1e-6)
    assert measures.spatiotemporal_error([first, second]) == pytest.approx(0.069280, abs=5e-7)


@cases(
    ("predicted", "gold", "expected"),
    [
        (14.0, 14.0, 1.0),
        (7.0, 14.0, 0.5),
        (28.0, 14.0, 0.0),
        (0.0, 0.0, 1.0),
        (0.005, 0.0, 0.5),
        (-0.35, -0.35, 1.0),
        (0.35, -0.35, 0.0),
        (None, 14.0, 0.0),
    ],
)
def test_relative_score(predicted, gold, expected):
    assert measures.relative_score(predicted, gold) == pytest.approx(expected)


def test_temporal_error_without_a_duration():
    assert measures.temporal_error(1.0, 1.0, 0.0) == 0.0
    assert measures.temporal_error(2.0, 1.0, 0.0) == 1.0


@cases(
    ("a", "b", "expected"),
    [
        ((0, 2), (0, 2), 1.0),
        ((0, 2), (2, 4), 0.0),
        ((0, 2), (3, 4), 0.0),
        ((0, 4), (1, 3), 0.5),
        ((1, 1), (1, 1), 1.0),
        ((1, 1), (2, 2), 0.0),
    ],
)
def test_temporal_iou(a, b, expected):
    assert measures.temporal_iou(a, b) == pytest.approx(expected)


@cases(
    ("a", "b", "expected"),
    [
        ({"hook"}, {"hook"}, 1.0),
        ({"hook", "grasper"}, {"hook"}, 2 / 3),
        (set(), set(), 1.0),
        ({"hook"}, set(), 0.0),
        (set(), {"hook"}, 0.0),
    ],
)
def test_set_f1(a, b, expected):
    assert measures.set_f1(a, b) == pytest.approx(expected)


@cases(
    ("a", "b", "expected"),
    [
        ("abcd", "abcd", 1.0),
        ("dcba", "abcd", 0.25),
        ("ab", "abcd", 2 / 3),
        ("xy", "abcd", 0.0),
        ("", "", 1.0),
        ("axbxc", "abc", 0.75),
    ],
)
def test_rouge_l(a, b, expected):
    assert measures.rouge_l(list(a), list(b)) == pytest.approx(expected)


EDGE = st.floats(0, 1)
BOXES = st.tuples(EDGE, EDGE, EDGE, EDGE).map(
    lambda b: (min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3]))
)


@settings(deadline=None)
@given(BOXES, BOXES)
def test_box_measures_stay_in_their_ranges(a, b):
    assert 0.0 <= measures.iou(a, b) <= 1.0
    assert 0.0 <= measures.centre_distance(a, b) <= sqrt(2) + 1e-12
    assert measures.iou(a, a) == 1.0
    assert measures.spatial_error(a, a) == 0.0

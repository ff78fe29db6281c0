"""Average precision, against cases worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from surgqa.transforms.evidence.detect.measure import BoxRow, measure
from tests.each import cases

SQUARE = (0.0, 0.0, 10.0, 10.0)


def boxes(*rows: BoxRow) -> list[BoxRow]:
    return [*rows]


def moved(by: float) -> tuple[float, float, float, float]:
    return (by, 0.0, 10.0 + by, 10.0)


def test_what_is_known_is_found_perfectly() -> None:
    known = boxes((0, "hook", SQUARE, 1), (1, "hook", SQUARE, 1), (1, "grasper", moved(30), 1))
    got = measure(known, known)
    assert (got.map50, got.map50_95) == (1.0, 1.0)
    assert got.known == {"grasper": 1, "hook": 2}


def test_a_stronger_false_box_halves_precision() -> None:
    known = boxes((0, "hook", SQUARE, 1))
    found = boxes((0, "hook", moved(100), 0.9), (0, "hook", SQUARE, 0.8))
    assert measure(found, known).map50 == pytest.approx(0.5)


def test_a_weaker_false_box_does_not_matter() -> None:
    known = boxes((0, "hook", SQUARE, 1))
    found = boxes((0, "hook", moved(100), 0.7), (0, "hook", SQUARE, 0.8))
    assert measure(found, known).map50 == 1.0


def test_a_box_missed_takes_its_recalls_away() -> None:
    known = boxes((0, "hook", SQUARE, 1), (1, "hook", SQUARE, 1))
    # Recalls 0, 0.01, ... 0.5 are reached: 51 of 101.
    assert measure(boxes((0, "hook", SQUARE, 0.8)), known).map50 == pytest.approx(51 / 101)


def test_a_second_box_on_the_same_thing_is_false() -> None:
    known = boxes((0, "hook", SQUARE, 1), (1, "hook", SQUARE, 1))
    found = boxes((0, "hook", SQUARE, 0.9), (0, "hook", moved(0.1), 0.8), (1, "hook", SQUARE, 0.7))
    # Precision 1 up to a recall of one half, then 2 of 3.
    assert measure(found, known).map50 == pytest.approx((51 + 50 * 2 / 3) / 101)


@cases(("shift", "overlaps"), [(0.5, 9), (1.0, 7), (2.0, 4), (3.3, 1), (3.4, 0)])
def test_overlap_decides(shift: float, overlaps: int) -> None:
    """A shift of s leaves (10 - s) / (10 + s): 0.905, 0.818, 0.667, 0.504 and 0.493."""
    got = measure(boxes((0, "hook", moved(shift), 0.8)), boxes((0, "hook", SQUARE, 1)))
    assert got.map50_95 == pytest.approx(overlaps / 10)
    assert got.map50 == float(overlaps > 0)


def test_other_pictures_and_other_classes_do_not_count() -> None:
    known = boxes((0, "hook", SQUARE, 1))
    assert measure(boxes((1, "hook", SQUARE, 0.9)), known).map50 == 0
    assert measure(boxes((0, "grasper", SQUARE, 0.9)), known).map50 == 0
    assert measure(boxes(), known).map50 == 0


def test_the_mean_is_over_known_classes() -> None:
    known = boxes((0, "hook", SQUARE, 1), (0, "grasper", moved(50), 1))
    found = boxes((0, "hook", SQUARE, 0.9), (0, "clipper", SQUARE, 0.9))
    got = measure(found, known)
    assert got.classes["hook"] == (1.0, 1.0)
    assert got.classes["grasper"] == (0.0, 0.0)
    assert got.map50 == 0.5


def test_nothing_known_is_not_a_number() -> None:
    assert np.isnan(measure(boxes((0, "hook", SQUARE, 0.9)), boxes()).map50)


def test_order_of_rows_does_not_matter() -> None:
    dice = np.random.default_rng(3)
    rows = [
        (int(dice.integers(0, 5)), "hook", moved(dice.uniform(0, 6)), round(dice.uniform(), 1))
        for _ in range(40)
    ]
    known = boxes(*((p, "hook", SQUARE, 1) for p in range(5)))
    first = measure(boxes(*rows), known)
    assert 0 < first.map50 < 1
    assert measure(boxes(*rows[::-1]), known).map50_95 == first.map50_95

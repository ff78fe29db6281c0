"""Distances of options to the answer, each type in its measure, and levels."""

from __future__ import annotations

from surgqa.ontology.levels import BOUNDS, EASY, HARD, MEDIUM
from surgqa.transforms.algebra.margins import MEASURES, level, margin
from tests.each import cases

S = 1_000_000
LATE = {"time_us": 9 * S, "earliest_us": 8 * S, "latest_us": 10 * S}
MANY = {"value": 5, "least": 4, "most": None}
CASES = [
    ("instant", 5 * S, 12_500_000, 7.5), ("instant", LATE, 5 * S, 4.0), ("instant", 3, 3, 0.0),
    ("stretch", {"start": 1 * S, "end": 4 * S}, {"start": 2 * S, "end": 9 * S}, 5.0),
    ("stretch", {"start": LATE, "end": 12 * S}, {"start": 2 * S, "end": 12 * S}, 7.0),
    ("duration", 7 * S, {"value": 4 * S, "least": 0, "most": 5 * S}, 3.0),
    ("number", 3, 7, 4.0), ("number", MANY, 3, 2.0), ("number", 0.25, 0.75, 0.5),
    ("box", [0.0, 0.0, 0.2, 0.2], [0.3, 0.4, 0.5, 0.6], 0.5),
    ("point", [0.1, 0.5, 0.1, 0.5], [0.3, 0.5, 0.3, 0.5], 0.2),
    ("set", ["a", "b"], ["b", "c", "d"], 3.0), ("set", ["a"], ["a"], 0.0),
    ("sequence", [{"verb": "cut"}, "b"], [{"verb": "cut"}, "c", "d"], 2.0),
    ("label", "a", "b", None), ("truth", True, False, None), ("", [1, 2], [1, 3], None),
    ("instant", None, 3, None), ("set", ["a"], None, None),
]  # fmt: skip


@cases(("of", "answer", "value", "far"), CASES)
def test_each_type_has_its_measure(of, answer, value, far):
    assert margin(of, answer, value) == far
    assert margin(of, value, answer) == far


@cases(("of", "margins", "wanted"), [
    ("instant", [2.9, 30.0], HARD), ("instant", [3.0, 30.0], MEDIUM), ("instant", [10.0], EASY),
    ("number", [1, 2, 3], HARD), ("number", [2, 3], MEDIUM), ("number", [3.0], EASY),
    ("number", [0.5, 2], None), ("set", [None, 2.0], MEDIUM), ("label", [None, None], None),
    ("box", [0.31], EASY), ("point", [0.05], HARD), ("instant", [], None),
])  # fmt: skip
def test_an_item_is_as_hard_as_its_nearest_option(of, margins, wanted):
    assert level(of, margins) == wanted


def test_every_measure_has_levels():
    assert set(MEASURES) == set(BOUNDS)
    assert all(hard < easy for hard, easy in BOUNDS.values())

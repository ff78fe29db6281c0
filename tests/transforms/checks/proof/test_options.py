"""Which values a pool of wrong options may hold, at each border."""

from __future__ import annotations

from typing import Any

import pytest

from transforms.algebra.tree import Amount, Call, Const
from transforms.algebra.types import Type
from transforms.checks.proof.options import broader, may_hold

S = 1_000_000
NEAR_ONE = Call(Type("set", "number"), "near")
NEAR_FIVE = Call(Type("set", "number"), "near", (("beyond", 5),))
INSTANT = Call(Type("set", "instant"), "near", (("apart", Amount("us", S, 2 * S)),))
SOON = Call(Type("set", "instant"), "near")
STRETCH = Call(Type("set", "stretch"), "near")
LONG = {"start": 10 * S, "end": 14 * S}
LABELS = Call(Type("set", "instrument"), "labels",
              (("of", Const(Type("label", "instrument"), "instrument")),))  # fmt: skip


def change(*by: str) -> Call:
    """A pool of changed members."""
    return Call(Type("set", "instrument"), "change", (("by", by),))


@pytest.mark.parametrize(
    ("pool", "value", "answer", "fits"),
    [
        (NEAR_ONE, 8, 5, True), (NEAR_ONE, 9, 5, False), (NEAR_ONE, 2, 5, True),
        (NEAR_ONE, 1, 5, False), (NEAR_ONE, 0, 1, True), (NEAR_ONE, -1, 1, False),
        (NEAR_FIVE, 10, 5, True), (NEAR_FIVE, 11, 5, False),
        (INSTANT, 11 * S, 10 * S, True), (INSTANT, 11 * S - 1, 10 * S, False),
        (INSTANT, 9 * S, 10 * S, True), (INSTANT, 9 * S + 1, 10 * S, False),
        (SOON, 10 * S + 1, 10 * S, True), (SOON, 10 * S, 10 * S, False),
        (STRETCH, {"start": 14 * S, "end": 18 * S}, LONG, True),
        (STRETCH, {"start": 14 * S, "end": 18 * S + 1}, LONG, False),
        (LABELS, "hook", "grasper", True), (LABELS, "banana", "grasper", False),
        (Const(Type("word"), "left"), "left", "right", True),
        (Const(Type("word"), "left"), "up", "right", False),
        (change("swap"), ["a", "c"], ["a", "b"], True),
        (change("swap"), ["c", "d"], ["a", "b"], False),
        (change("swap"), ["a", "b", "c"], ["a", "b"], False),
        (change("add"), ["a", "b", "c"], ["a", "b"], True),
        (change("add"), ["a", "c", "d"], ["a", "b"], False),
        (change("add"), ["a", "b", "c", "d"], ["a", "b"], False),
        (change("drop"), ["a"], ["a", "b"], True), (change("drop"), ["c"], ["a", "b"], False),
        (change("drop"), ["a"], ["a", "b", "c"], False),
        (change("replace"), ["a", "c"], ["a", "b"], True),
        (change("replace"), ["b", "a"], ["a", "b"], False),
        (change("replace"), ["a"], ["a", "b"], False),
        (change("reorder"), ["b", "a"], ["a", "b"], True),
        (change("reorder"), ["a", "b"], ["a", "b"], False),
        (change("reorder"), ["a", "c"], ["a", "b"], False),
        (change("drop", "add"), ["a", "b", "c"], ["a", "b"], True),
        (change("add"), "a", ["a"], False), (change("add"), ["a"], "a", False),
    ],
)  # fmt: skip
def test_what_a_pool_may_hold(pool: Any, value: Any, answer: Any, fits: bool):
    assert may_hold(pool, value, answer) is fits


def test_a_group_is_broader_than_its_members():
    assert broader("grasping_instrument", "grasper")
    assert broader("grasper", "grasping_instrument")
    assert not broader("hook", "grasper")
    assert not broader(["hook"], "hook")
    assert not broader("hook", 3)

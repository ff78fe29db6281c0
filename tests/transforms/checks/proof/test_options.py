"""Which values a pool of wrong options may hold, at each border."""

from __future__ import annotations

from typing import Any

import pytest

from transforms.algebra.tree import Amount, Call, Const
from transforms.algebra.types import Type
from transforms.checks.proof.options import broader, may_hold

S = 1_000_000
NEAR_ONE = Call(Type("set", "number"), "near")
INSTANT = Call(Type("set", "instant"), "near", (("apart", Amount("us", S, 2 * S)),))
SOON = Call(Type("set", "instant"), "near")
STRETCH = Call(Type("set", "stretch"), "near")
LONG = {"start": 10 * S, "end": 14 * S}
ORDERS = Call(Type("pool", "sequence"), "orders")
LABELS = Call(Type("set", "instrument"), "labels",
              (("of", Const(Type("label", "instrument"), "instrument")),))  # fmt: skip


@pytest.mark.parametrize(
    ("pool", "value", "answer", "fits"),
    [
        (NEAR_ONE, 8, 5, True), (NEAR_ONE, 9, 5, False), (NEAR_ONE, 2, 5, True),
        (NEAR_ONE, 1, 5, False), (NEAR_ONE, 0, 1, True), (NEAR_ONE, -1, 1, False),
        (INSTANT, 11 * S, 10 * S, True), (INSTANT, 11 * S - 1, 10 * S, False),
        (INSTANT, 9 * S, 10 * S, True), (INSTANT, 9 * S + 1, 10 * S, False),
        (SOON, 10 * S + 1, 10 * S, True), (SOON, 10 * S, 10 * S, False),
        (STRETCH, {"start": 14 * S, "end": 18 * S}, LONG, True),
        (STRETCH, {"start": 14 * S, "end": 18 * S + 1}, LONG, False),
        (LABELS, "hook", "grasper", True), (LABELS, "banana", "grasper", False),
        (Const(Type("word"), "left"), "left", "right", True),
        (Const(Type("word"), "left"), "up", "right", False),
        (ORDERS, ["b", "a"], ["a", "b"], True), (ORDERS, ["a", "b"], ["a", "b"], False),
        (ORDERS, ["a", "c"], ["a", "b"], False), (ORDERS, ["a"], ["a", "b"], False),
        (ORDERS, "a", ["a"], False),
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

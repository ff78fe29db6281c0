"""Which values a pool of wrong options may hold, at each border."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import orjson

from surgqa.transforms.algebra.tree import Amount, Call, Const
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.options import broader, canonical, may_hold, option_problems
from tests.each import cases

S = 1_000_000
NEAR_ONE = Call(Type("set", "number"), "near")
INSTANT = Call(Type("set", "instant"), "near", (("apart", Amount("us", S, 2 * S)),))
SOON = Call(Type("set", "instant"), "near")
STRETCH = Call(Type("set", "stretch"), "near")
BOX = Call(Type("set", "box"), "near")
LONG = {"start": 10 * S, "end": 14 * S}
ORDERS = Call(Type("pool", "sequence"), "orders")
LABELS = Call(Type("set", "instrument"), "labels",
              (("of", Const(Type("label", "instrument"), "instrument")),))  # fmt: skip


@cases(
    ("pool", "value", "answer", "fits"),
    [
        (NEAR_ONE, 8, 5, True), (NEAR_ONE, 9, 5, False), (NEAR_ONE, 2, 5, True),
        (NEAR_ONE, 1, 5, False), (NEAR_ONE, 0, 1, True), (NEAR_ONE, -1, 1, False),
        (INSTANT, 11 * S, 10 * S, True), (INSTANT, 11 * S - 1, 10 * S, False),
        (INSTANT, 9 * S, 10 * S, True), (INSTANT, 9 * S + 1, 10 * S, False),
        (SOON, 10 * S + 1, 10 * S, True), (SOON, 10 * S, 10 * S, False),
        (STRETCH, {"start": 14 * S, "end": 18 * S}, LONG, True),
        (STRETCH, {"start": 14 * S, "end": 18 * S + 1}, LONG, False),
        (BOX, [0, 0, 1, 1], [0, 0, 2, 2], True),
        (LABELS, "hook", "grasper", True), (LABELS, "banana", "grasper", False),
        (Const(Type("word"), "left"), "left", "right", True),
        (Const(Type("word"), "left"), "up", "right", False),
        (ORDERS, ["b", "a"], ["a", "b"], True), (ORDERS, ["a", "b"], ["a", "b"], False),
        (ORDERS, ["a", "c"], ["a", "b"], False), (ORDERS, ["a"], ["a", "b"], False),
        (ORDERS, "a", ["a"], False), (ORDERS, "ab", ["b", "a"], False),
        (ORDERS, ["b", "a"], "ab", False),
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


WORDS = tuple(Const(Type("word"), one) for one in ("left", "right", "up", "down"))
EXCHANGE = Call(Type("pool"), "exchange")


def offered(*values: Any, right: int = 0, of: Any = ("word",), pools: Any = WORDS,
            form: str = "choice", **row: Any) -> list[str]:  # fmt: skip
    """Codes of what is wrong with options of some values."""
    kinds = ["answer" if k == right else "word" for k in range(len(values))]
    options = [{"key": "ABCD"[k], "text": str(one), "is_answer": k == right, "kind": kinds[k]}
               for k, one in enumerate(values)]  # fmt: skip
    for k, change in row.pop("change", {}).items():
        options[k] |= change
    mine = next((one for one in options if one["is_answer"]), {"key": None, "text": ""})
    known = {"options": options, "answer_key": mine["key"],
             "answer": f"{mine['key']}) {mine['text']}"} | row  # fmt: skip
    stage = SimpleNamespace(
        form=form, wrong=pools, answer=[(name, SimpleNamespace(type=Type(name))) for name in of]
    )
    asked: Any = SimpleNamespace(row=known, stage=stage, offered=list(values), answer=values[right])
    return [code for code, _ in option_problems(asked)]


MALFORMED = ["options_malformed"]


@cases(
    ("found", "codes"),
    [
        (lambda: offered("left", "right"), []),
        (lambda: offered("left", "right", "up", "down"), []),
        (lambda: offered("left", "right", right=1), []),
        (lambda: offered("left"), MALFORMED),
        (lambda: offered("left", "right", change={1: {"key": "C"}}), MALFORMED),
        (lambda: offered("left", "right", change={1: {"text": " LEFT "}}), MALFORMED),
        (lambda: offered("left", "right", change={1: {"text": " "}}), MALFORMED),
        (lambda: offered("left", "right", change={1: {"is_answer": True}}),
         [*MALFORMED, "option_false"]),
        (lambda: offered("left", "right", change={0: {"kind": "word"}}), MALFORMED),
        (lambda: offered("left", "right", answer_key="B"), MALFORMED),
        (lambda: offered("left", "right", answer="A) right"), ["text_disagrees"]),
        (lambda: offered("left", "left"), [*MALFORMED, *MALFORMED, "option_true"]),
        (lambda: offered("left", "banana"), ["option_foreign"]),
        (lambda: offered("left", "right", change={1: {"kind": "labels"}}), ["option_foreign"]),
        (lambda: offered("left", 3), MALFORMED),
        (lambda: offered("left", "right", pools=(EXCHANGE,), change={1: {"kind": "exchange"}}), []),
        (lambda: offered("left", "banana", pools=(EXCHANGE,), change={1: {"kind": "exchange"}}),
         []),
        (lambda: offered("left", "right", pools=()), []),
        (lambda: offered("left", "right", form="text", pools=()), MALFORMED),
        (lambda: offered("left", "right", form="text"), []),
        (lambda: offered("left", "right", options=[]), MALFORMED),
        (lambda: offered("left", "right", options=None), MALFORMED),
        (lambda: offered("left", "right", options=None, form="text", pools=(), answer_key=None),
         []),
        (lambda: offered("left", "right", options=None, form="text", pools=()), MALFORMED),
        (lambda: offered("hook", "grasper", of=("label",), pools=(LABELS,),
                         change={1: {"kind": "labels"}}),
         []),
        (lambda: offered("grasper", "grasping_instrument", of=("label",), pools=()),
         ["option_true"]),
        (lambda: offered(["left", 3], ["up", 4], of=("word", "instant"), pools=(EXCHANGE,),
                 change={1: {"kind": "exchange"}}), []),
        (lambda: offered(["left", 3], ["up"], of=("word", "instant"), pools=(EXCHANGE,),
                 change={1: {"kind": "exchange"}}), MALFORMED),
        (lambda: offered(["left", 3], ["up", "x"], of=("word", "instant"), pools=(EXCHANGE,),
                 change={1: {"kind": "exchange"}}), MALFORMED),
        (lambda: offered(["left", 3], "up", of=("word", "instant"), pools=(EXCHANGE,),
                 change={1: {"kind": "exchange"}}), MALFORMED),
    ],
)  # fmt: skip
def test_options_as_the_row_has_them(found: Callable[[], list[str]], codes: list[str]):
    assert found() == codes


OPPOSITE = {"pools": (), "form": "yes_no", "of": ("truth",)}


@cases(
    ("found", "codes"),
    [
        (lambda: offered(True, False, change={1: {"kind": "opposite"}}, **OPPOSITE), []),
        (lambda: offered(True, False, right=1, change={0: {"kind": "opposite"}}, **OPPOSITE), []),
        (lambda: offered(False, True, change={1: {"kind": "opposite"}}, **OPPOSITE), MALFORMED),
        (lambda: offered(True, False, **OPPOSITE), ["option_foreign"]),
        (lambda: offered(True, False, right=1, **OPPOSITE), ["option_foreign"]),
    ],
)
def test_yes_then_no(found: Callable[[], list[str]], codes: list[str]):
    assert found() == codes


def test_values_are_told_as_text_that_is_equal_for_equal_values():
    made = {"b": 1, "a": [2, {"d": 3, "c": 4}]}
    assert orjson.loads(canonical(made)) == made
    assert canonical(made) == '{"a":[2,{"c":4,"d":3}],"b":1}'

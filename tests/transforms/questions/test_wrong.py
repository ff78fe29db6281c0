"""Wrong options: fair places, nothing twice, never the right one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from ontology.keys import Key
from tests.transforms.questions.made import program
from transforms.algebra.tree import Call, Const, Name
from transforms.algebra.types import NUMBER, Type
from transforms.questions.wrong import Case, options_of

STAGE = program("base", """
unit: clip
let:
  moment: {each: instant}
  number: {count: instrument, at: moment}
answer: number
say: "{{ number | whole }}"
wrong: [{near: answer}]
""", "How many are there at {{ moment | clock }}?").stages[0]  # fmt: skip


def case(answer: Any, salt: int = 0, pools: dict | None = None, **others: Any) -> Case:
    return Case(answer, Key("test", salt), pools or {}, others)


def pool(op: str, **args: Any) -> Call:
    return Call(Type("pool"), op, tuple(args.items()))


def values(pools: tuple, one: Case) -> list[Any] | None:
    found = options_of(replace(STAGE, wrong=pools), one)
    return None if found is None else [choice.value for choice in found]


def test_the_right_number_has_each_rank_equally_often():
    ranks = Counter()
    for salt in range(400):
        offered = sorted([7, *values(STAGE.wrong, case(7, salt))])
        ranks[offered.index(7)] += 1
    assert set(ranks) == {0, 1, 2, 3}
    assert all(70 < n < 130 for n in ranks.values())


def test_no_number_is_below_nothing():
    for salt in range(20):
        assert sorted([0, *values(STAGE.wrong, case(0, salt))]) == [0, 1, 2, 3]


def test_numbers_lie_outside_what_the_answer_may_be():
    for salt in range(20):
        offered = values(STAGE.wrong, case({"value": 3, "least": 3, "most": 4}, salt))
        assert len(offered) == 3 and {0, 1, 2, 5, 6, 7} >= set(offered)


def test_no_option_is_the_answer_or_comes_twice():
    found = pool("labels", of=Const(Type("label"), "instrument"))
    one = case("hook", pools={found: ["clipper", "grasper", "hook", "hook", "grasper", "scissors"]})
    assert sorted(values((found,), one)) == ["clipper", "grasper", "scissors"]


def test_pools_are_used_in_their_order():
    first = pool("set", of=Const(Type("label"), "a"))
    second = pool("labels", of=Const(Type("label"), "b"))
    one = case("z", pools={first: ["a"], second: ["p", "q", "r", "s"]})
    offered = options_of(replace(STAGE, wrong=(first, second)), one)
    assert [choice.kind for choice in offered] == ["set", "labels", "labels"]


def test_too_few_are_no_choice():
    found = pool("set", of=Const(Type("label"), "instrument"))
    assert values((found,), case("hook", pools={found: ["hook", "grasper"]})) is None


def test_of_a_closed_list_there_may_be_no_more():
    found = pool("labels", of=Const(Type("label"), "instrument"))
    assert values((found,), case("hook", pools={found: ["hook", "grasper"]})) == ["grasper"]
    assert values((found,), case("hook", pools={found: ["hook"]})) is None


def test_exceptions_are_not_offered():
    kept = Const(Type("label"), "grasper")
    found = Call(Type("pool"), "labels", (("of", Const(Type("label"), "x")), ("except", (kept,))))
    one = case("hook", pools={found: ["a", "b", "c", "grasper"], kept: "grasper"})
    assert sorted(values((found,), one)) == ["a", "b", "c"]


CHANGES = {
    "swap": [["a", "z"], ["b", "z"]], "add": [["a", "b", "z"]], "drop": [["a"], ["b"]],
    "reorder": [["b", "a"]], "replace": [["a", "z"], ["z", "b"]],
}  # fmt: skip


@pytest.mark.parametrize("how", sorted(CHANGES))
def test_a_change_differs_from_the_answer_in_one_thing(how):
    spare = Const(Type("label"), "spare")
    args = (("of", Const(NUMBER, 0.0)), ("by", (how,)), ("from", (spare,)), ("most", 1))
    found = Call(Type("pool"), "change", args)
    stage = replace(STAGE, wrong=(found,))
    seen = [options_of(stage, case(["a", "b"], salt, {spare: ["a", "z"]})) for salt in range(30)]
    assert sorted({tuple(c.value) for got in seen for c in got}) == sorted(
        tuple(one) for one in CHANGES[how]
    )


def test_other_fillings_give_their_answers():
    found = pool("exchange", of=Name(Type("label"), "moment"))
    one = case("hook", moment=["hook", "grasper", "clipper", "scissors"])
    assert sorted(values((found,), one)) == ["clipper", "grasper", "scissors"]

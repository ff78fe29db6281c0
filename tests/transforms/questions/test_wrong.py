"""Wrong options: fair places, nothing twice, never the right one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations
from typing import Any

from surgqa.ontology.keys import Key
from surgqa.transforms.algebra.tree import Call, Const
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.questions.wrong import OptionCase, options_of
from tests.transforms.questions.made import program

STAGE = program("base", """
unit: clip
let:
  moment: {each: instant}
  number: {count: instrument, at: moment}
answer: number
say: "{{ number | whole }}"
wrong: [{near: answer}]
""", "How many are there at {{ moment | clock }}?").stages[0]  # fmt: skip


def case(answer: Any, salt: int = 0, pools: dict | None = None) -> OptionCase:
    return OptionCase(answer, Key("test", salt), pools or {})


def pool(op: str, **args: Any) -> Call:
    return Call(Type("pool"), op, tuple(args.items()))


def values(pools: tuple, one: OptionCase) -> list[Any] | None:
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


def test_a_small_number_has_each_rank_that_there_is_equally_often():
    ranks = Counter(sorted([1, *values(STAGE.wrong, case(1, salt))]).index(1)
                    for salt in range(400))  # fmt: skip
    assert set(ranks) == {0, 1}
    assert all(160 < n < 240 for n in ranks.values())


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


def test_every_other_order_is_equally_likely():
    found = pool("orders", of=Const(Type("sequence"), ""))
    seen = Counter(tuple(one) for salt in range(600)
                   for one in values((found,), case(["a", "b", "c"], salt)))  # fmt: skip
    assert set(seen) == set(permutations("abc")) - {("a", "b", "c")}
    assert all(300 < n < 420 for n in seen.values())


def test_of_long_sequences_no_other_order_is_offered():
    found = pool("orders", of=Const(Type("sequence"), ""))
    assert values((found,), case(list("abcdef"))) is None

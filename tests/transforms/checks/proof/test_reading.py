"""What is read off a row: every reader of every type, and what none holds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from surgqa.transforms.algebra.tree import Call, Const, Name, Read
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.reading import RowValues, Unread, cases_of, read, value_of
from tests.each import cases

FACT = {"label": None, "subject": "hook", "verb": "cut", "target": None, "track": "hook-1",
        "start_us": 4, "end_us": 9}  # fmt: skip
LATE = {"time_us": 6, "earliest_us": 5, "latest_us": 8}
STRETCH = {"start": LATE, "end": 11}


@cases(
    ("value", "of", "reader", "found"),
    [
        (FACT, "fact", "start", 4),
        (FACT, "fact", "end", 9),
        (FACT, "fact", "length", 5),
        (FACT, "fact", "middle", 6),
        (FACT, "fact", "act", {"verb": "cut", "target": None}),
        (FACT, "fact", "track", FACT),
        (FACT, "fact", "subject", "hook"),
        (FACT, "track", "label", "hook"),
        ({**FACT, "label": "grasper"}, "track", "label", "grasper"),
        ({"verb": "cut", "target": "liver"}, "act", "target", "liver"),
        ({"verb": "cut"}, "act", "target", None),
        ({"verb": "cut"}, "act", "verb", "cut"),
        (LATE, "instant", "earliest", 5),
        (LATE, "instant", "latest", 8),
        (7, "instant", "earliest", 7),
        (7, "instant", "latest", 7),
        (STRETCH, "stretch", "start", LATE),
        (STRETCH, "stretch", "end", 11),
        (STRETCH, "stretch", "length", 5),
        (STRETCH, "stretch", "middle", 8),
        ({"start": 2, "end": 9, "procedure": "p"}, "video", "length", 7),
        ({"start": 2, "end": 9, "procedure": "p"}, "video", "start", 2),
        ({"start": 2, "end": 9, "procedure": "p"}, "video", "procedure", "p"),
        (["a", "b"], "set", "size", 2),
        (["a", "b"], "sequence", "first", "a"),
        (["a", "b"], "sequence", "last", "b"),
        ({"speed": 3}, "motion", "speed", 3),
        (None, "fact", "start", None),
    ],
)
def test_a_reader(value: Any, of: str, reader: str, found: Any):
    assert read(value, of, reader) == found


@cases(
    ("value", "of", "reader"),
    [
        ({}, "fact", "start"),
        ([], "sequence", "first"),
        ({"speed": 3}, "motion", "start"),
        ({"speed": 3}, "label", "speed"),
        (FACT, "fact", "box"),
        (FACT, "nothing", "subject"),
    ],
)
def test_what_a_value_does_not_hold(value: Any, of: str, reader: str):
    with pytest.raises(Unread):
        read(value, of, reader)


def test_a_node_by_name_given_or_read_of_another():
    act, end = Name(Type("fact", "interaction"), "act"), Name(Type("instant"), "end")
    node = Read(Type("instant"), act, "start")
    program: Any = None
    known = RowValues(program, {"act": FACT, "end": 3})
    assert (value_of(node, known), value_of(end, known)) == (4, 3)
    assert value_of(node, RowValues(program, {}, given={node: 8})) == 8
    assert value_of(node, RowValues(program, {"act": FACT}, given={node: 8})) == 8
    for lacking in (RowValues(program, {}), RowValues(program, {"end": 3})):
        with pytest.raises(Unread):
            value_of(node, lacking)
    with pytest.raises(Unread):
        value_of(Const(Type("instant"), 3), known)


def test_a_stage_is_read_by_its_words():
    node = Read(Type("label", "phase"), Name(Type("stage"), "q1"), "answer")
    program: Any = None
    assert value_of(node, RowValues(program, {}, {"q1": "It is so"})) == "It is so"
    with pytest.raises(Unread):
        value_of(node, RowValues(program, {}, {"q2": "It is so"}))


def test_an_answer_of_one_field_and_of_several():
    a, b = Name(Type("instant"), "a"), Name(Type("instant"), "b")
    program: Any = None
    one: Any = SimpleNamespace(answer=[("a", a)])
    two: Any = SimpleNamespace(answer=[("a", a), ("b", b)])
    known = RowValues(program, {"c": 1}, {"q": "x"}, {b: 5})
    single = known.with_answer(one, [3])
    assert (value_of(a, single), single.values, value_of(b, single)) == (
        [3], {"c": 1, "answer": [3]}, 5
    )  # fmt: skip
    both = known.with_answer(two, [3, 4])
    assert (value_of(a, both), value_of(b, both), both.said) == (3, 4, {"q": "x"})


def test_statements_are_followed_through_names():
    case = (("it is so",), Const(Type("truth"), True))
    cases = Call(Type("statement"), "cases", (("of", (case,)),))
    steps = {"one": cases, "two": Name(Type("statement"), "one"),
             "far": Name(Type("statement"), "gone")}  # fmt: skip
    program: Any = SimpleNamespace(
        step=lambda name: SimpleNamespace(node=steps[name]) if name in steps else None
    )
    assert cases_of(cases, program) == (case,)
    assert cases_of(Name(Type("statement"), "two"), program) == (case,)
    assert cases_of(Name(Type("statement"), "far"), program) == ()
    assert cases_of(Call(Type("statement"), "other", cases.args), program) == ()

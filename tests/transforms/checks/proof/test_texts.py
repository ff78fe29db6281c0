"""Texts printed again and held against a row's words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from surgqa.transforms.algebra.tree import Call, Const, Name, Print, Read
from surgqa.transforms.algebra.types import BOX, Type
from surgqa.transforms.checks.proof.printing import Page
from surgqa.transforms.checks.proof.reading import RowValues
from surgqa.transforms.checks.proof.texts import (
    Unprintable,
    capital,
    expected,
    node_of,
    plain,
    says,
    unread_nodes,
)
from tests.each import cases

S = 1_000_000
AT = Print(Name(Type("instant"), "at"), "clock")
HERE = Print(Name(Type("label", "phase"), "here"), "name")
TOOL = Name(Type("fact", "instrument"), "tool")
WHERE, PLACE = Print(TOOL, "where"), Print(Read(BOX, TOOL, "box"), "box")
VALUES = {"at": 12 * S, "here": "preparation", "tool": {"label": "hook"}}
PAGE = Page(10 * S)


def known(**values: Any) -> RowValues:
    program: Any = SimpleNamespace(step=lambda name: None)
    return RowValues(program, VALUES | values)


@cases(
    ("text", "found", "fine"),
    [
        (("at ", AT, " it is seen"), "At 2.00 s it is seen", True),
        (("at ", AT, " it is seen"), "at 2.00 s it is seen", False),
        (("at ", AT, " it is seen"), "At 3.00 s it is seen", False),
        (("at ", AT, " it is seen"), "At 2.00 s it is not seen", False),
        (("at ", AT, " it is seen"), "In 2.00 s it is seen", False),
        (("at ", AT, " it is seen"), "At 2.00 s it is heard", False),
        ((AT, " is the time"), "2.00 s is the time", True),
        ((HERE,), "Preparation", True),
        ((HERE,), "preparation", False),
        ((HERE,), "Clipping", False),
        (("It is ", HERE), "It is preparation", True),
        ((), "", True),
        (("where", WHERE), "Where", True),
        (("where", WHERE), "Where at [1, 2, 3, 4]", True),
        (("where", WHERE), "Where at [1, 2, 3]", False),
        (("where", WHERE), "Where at [1, 2, 3, 4] and more", False),
        (("it is at ", PLACE, "."), "It is at [1, 20, 300, 1000].", True),
        (("it is at ", PLACE, "."), "It is at 1, 20, 300, 1000.", False),
        (("it is at ", PLACE, "."), "It is at [1, 20, 300, 1000]!", False),
        (("at ", AT, ": ", PLACE), "At 2.00 s: [1, 2, 3, 4]", True),
        (("at ", AT, ": ", PLACE), "At 3.00 s: [1, 2, 3, 4]", False),
    ],
)
def test_what_a_text_says(text: Any, found: str, fine: bool):
    assert says(text, found, known(), PAGE) is fine


def test_of_another_wording_nothing_is_printed():
    bad = known(here={"start": {}})
    broken = Print(Name(Type("instant"), "here"), "clock")
    assert not says(("at ", broken), "By this", bad, PAGE)
    assert not says(("at ", broken, " or so"), "At this", bad, PAGE)
    with pytest.raises(Unprintable):
        says(("at ", broken), "At this", bad, PAGE)


@cases(
    ("text", "with_capital"),
    [("it is", "It is"), ("It is", "It is"), ("", ""), ("alert: polyp", "alert: polyp"),
     ("Alert: polyp", "Alert: polyp"), ("2.00 s", "2.00 s")],
)  # fmt: skip
def test_a_text_begins_with_a_capital_but_an_alert(text: str, with_capital: str):
    assert capital(text) == with_capital


def test_what_is_expected_has_dots_for_what_is_not_known():
    text = ("at ", AT, ": ", PLACE)
    assert plain(text, known(), PAGE) == "at 2.00 s: …"
    assert expected(text, known(), PAGE) == "At 2.00 s: …"


CASES = Call(Type("statement"), "cases", (("of", (
    (("it is ", HERE), Const(Type("truth"), True)), (("it is not",), Const(Type("truth"), True)),
)),))  # fmt: skip
SAID = Print(CASES, "text")


@cases(
    ("value", "found", "fine"),
    [
        (0, "It is preparation", True),
        (1, "It is not", True),
        (1, "It is preparation", False),
        ("it is not", "It is not", True),
        ("it is preparation", "It is preparation", True),
    ],
)
def test_a_statement_by_its_number_or_its_words(value: Any, found: str, fine: bool):
    of = RowValues(known().program, VALUES, given={CASES: value})
    assert says((SAID,), found, of, PAGE) is fine


@cases("value", [2, -1, "it is so", None, 0.5])
def test_what_is_no_statement(value: Any):
    of = RowValues(known().program, VALUES, given={CASES: value})
    with pytest.raises(Unprintable):
        says((SAID,), "It is not", of, PAGE)


def test_words_of_a_stage_are_printed_as_they_are():
    stage = Print(Read(Type("stage"), Name(Type("stage"), "q1"), "answer"), "text")
    of = RowValues(known().program, VALUES, {"q1": "clipping"})
    assert says(("given ", stage), "Given clipping", of, PAGE)
    assert not says(("given ", stage), "Given cutting", of, PAGE)


def test_the_place_of_a_fact_is_its_box():
    assert node_of(WHERE) == Read(BOX, TOOL, "box")
    assert node_of(Print(TOOL, "the")) == TOOL
    box = Name(BOX, "b")
    assert node_of(Print(box, "where")) == box


@cases(
    ("reader", "unread"),
    [("box", True), ("value", True), ("centre", True), ("rater", True), ("text", True),
     ("start", False), ("label", False)],
)  # fmt: skip
def test_what_no_row_holds(reader: str, unread: bool):
    node = Read(Type("number"), TOOL, reader)
    of: Any = SimpleNamespace(rubric=None, texts=[("a ", Print(node, "text")), (HERE,)])
    assert unread_nodes(of) == ([node] if unread else [])
    deep = Read(Type("number"), node, "size")
    twice: Any = SimpleNamespace(
        texts=[(Print(deep, "whole"), Print(deep, "two"))],
        rubric=SimpleNamespace(grounds=("at ", Print(node, "text"))),
    )
    assert unread_nodes(twice) == ([deep, node] if unread else [])
    other = Read(Type("number"), Name(Type("motion"), "m"), reader)
    assert unread_nodes(SimpleNamespace(rubric=None, texts=[(Print(other, "text"),)])) == []

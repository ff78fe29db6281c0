"""Expressions as they are written and what they mean."""

from __future__ import annotations

import pytest

from surgqa.ontology.yaml import YamlText
from surgqa.transforms.algebra.phrases import phrase
from surgqa.transforms.algebra.said import said as short
from surgqa.transforms.algebra.tree import Between, Call, Const
from surgqa.transforms.algebra.types import INSTANT, NUMBER, STRETCH, TRACK, Type
from surgqa.transforms.language.arguments import amount
from surgqa.transforms.language.context import ParseContext, Scope
from surgqa.transforms.language.resolve import expression, value
from surgqa.transforms.language.syntax import SyntaxProblem, parse_expression
from tests.each import cases

SCOPE = Scope(
    {
        "now": INSTANT, "window": STRETCH, "past": Type("fact", "phase"), "n": NUMBER,
        "low": Type("fact", "sample"), "axis": Type("label"), "act": Type("fact", "interaction"),
        "tool": TRACK, "seen": Type("set", "instrument"), "kind": Type("label", "instrument"),
    }
)  # fmt: skip


def read(text):
    c = ParseContext("x.yaml", "", YamlText({}, {}))
    node = expression(c, text, (), SCOPE)
    return node, [finding.code for finding in c.findings]


@cases(
    ("text", "type_", "value"),
    [
        ("12 s", "duration", 12_000_000),
        ("250 ms", "duration", 250_000),
        ("2 min", "duration", 120_000_000),
        ("1 h", "duration", 3_600_000_000),
        ("1..10 s", "duration", (1_000_000, 10_000_000)),
        ("10 %", "number", 0.1),
        ("0.5", "number", 0.5),
        ("3", "number", 3),
        ("2..8", "number", (2, 8)),
        ("1 frame", "duration of frame", 1.0),
        ("-1 s", "duration", -1_000_000),
        ("none", "none", None),
        ("hook", "label", "hook"),
    ],
)
def test_what_is_written_out(text, type_, value):
    node, found = read(text)
    assert (str(node.type), node.value, found) == (type_, value, [])


@cases(
    ("text", "type_"),
    [
        ("past.end + 1..10 s", "instant"),
        ("window.end - act.start", "duration"),
        ("low.centre(axis)", "number"),
        ("n / 2", "number"),
        ("act.length", "duration"),
        ("tool.label", "label of instrument"),
        ("act.act", "act"),
        ("seen.size", "number"),
        ("now", "instant"),
    ],
)
def test_what_a_value_is(text, type_):
    node, found = read(text)
    assert (str(node.type), found) == (type_, [])


def test_a_stretch_has_two_times():
    node, found = read(["now - 1 s", "now"])
    assert isinstance(node, Between) and found == []


@cases(
    "text",
    ["n >= 1", "n in 2..8", "act.start - now in 20..60 s", "act.verb = clip", "act.verb != idle",
     "act.target = none", "kind in seen", "now <= act.start < now + 30 s", "past = past"],
)  # fmt: skip
def test_comparisons(text):
    node, found = read(text)
    assert (str(node.type), found) == ("truth", [])


def test_a_chain_of_comparisons_is_all_of_them():
    node, _ = read("now <= act.start < now + 30 s")
    assert isinstance(node, Call) and node.op == "all"
    assert [part.get("sign") for part in node.get("of")] == ["<=", "<"]


def test_a_range_is_two_comparisons():
    both, _ = read("n in 2..8")
    either, _ = read("n >= 2")
    assert both.get("of")[0] == either
    assert [part.get("sign") for part in both.get("of")] == [">=", "<="]


def test_idle_is_the_null_verb():
    node, _ = read("act.verb = idle")
    assert node.get("right") == Const(Type("label", "verb"), "null_verb")


def test_equal_nodes_are_equal_whatever_their_place():
    assert read("act.start + 1 s")[0] == read("  act.start  +  1 s ")[0]
    assert short(read("act.start + 1 s")[0])


@cases("text", ["", " ", "a..b", "1..", "a.", "a(b", "1 + 2 + 3", "a b", "= 3",
                                  "3 =", "a.b(c", "10 parsecs", "5..2 s", "é"])  # fmt: skip
def test_what_is_no_expression(text):
    with pytest.raises(SyntaxProblem):
        parse_expression(text)


@cases(
    ("text", "unit", "low", "high"),
    [
        ("2 s", "us", 2_000_000, 2_000_000),
        ("20..60 s", "us", 20_000_000, 60_000_000),
        ("0.5..1 s", "us", 500_000, 1_000_000),
        ("10 %", "share", 0.1, 0.1),
        (0.05, "number", 0.05, 0.05),
        ("2..3", "number", 2, 3),
    ],
)
def test_settings_in_numbers(text, unit, low, high):
    c = ParseContext("x.yaml", "", YamlText({}, {}))
    found = amount(c, text, ())
    assert (found.unit, found.low, found.high, c.findings) == (unit, low, high, [])


@cases(
    ("step", "text"),
    [
        ({"facts": "phase", "starts_in": "window"}, "all phases that begin in the window"),
        ({"first": "phase", "ends_in": "window"}, "the first phase that ends in the window"),
        ({"count": "phase.label", "ends_in": "window"},
         "the number of labels of phases that end in the window"),
        ({"first": "phase", "merge": ["label"]}, "the first phase (those of one label that touch "
         "are one)"),
        ({"first": "phase", "merge": ["label"], "gap": "2 s"}, "the first phase (those of one "
         "label at most 2 s apart are one)"),
        ({"sequence": "step", "of": "label", "take": 3},
         "steps in order, each with its label, the first 3"),
        ({"sequence": "step", "take": -2}, "steps in order, the last 2"),
        ({"argmin": "sample", "by": "it.box.y"}, "the sample with the least y of the box of it at "
         "its start"),
    ],
)  # fmt: skip
def test_a_step_is_said_in_words(step, text):
    c = ParseContext("x.yaml", "", YamlText({}, {}))
    assert phrase(value(c, step, (), SCOPE)).replace(" during the window", "") == text

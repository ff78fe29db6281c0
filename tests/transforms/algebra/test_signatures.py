"""Operators as the language sees them."""

from __future__ import annotations

import string

from surgqa.ontology.kinds import kind_names
from surgqa.transforms.algebra.operators.values.signature import arithmetic_type
from surgqa.transforms.algebra.signature import ARGUMENT_KINDS, POOL_PARAMS, signatures
from surgqa.transforms.algebra.tree import RELATIONS
from surgqa.transforms.algebra.types import (
    DURATION,
    INSTANT,
    NUMBER,
    TYPE_NAMES,
    Type,
    element,
    fields_of,
    many,
    readers_of,
)
from tests.each import cases

OPERATORS = signatures()


def test_there_are_31_operators_and_all_which_is_a_list_of_conditions():
    """Of a list of conditions `all` must hold; `any` and `not` are written by name."""
    assert len(OPERATORS) == 32


@cases("name", OPERATORS)
def test_a_signature_is_complete(name):
    one = OPERATORS[name]
    assert one.name == name
    assert one.summary.endswith(".") and one.main.required
    for param in (one.main, *one.params.values()):
        assert param.written in ARGUMENT_KINDS
        assert set(param.types) <= set(TYPE_NAMES)
        assert param.doc.endswith(".") and param.doc[0].isupper() or param.doc.startswith("`")
        assert (param.written in ("choice", "choices")) == bool(param.choices)
    fields = {field for _, field, _, _ in string.Formatter().parse(one.phrase) if field}
    assert fields == {"main"}
    for param in one.params.values():
        assert not param.phrase or "{value}" in param.phrase
    assert one.pool == (set(POOL_PARAMS) <= set(one.params))


@cases("name", OPERATORS)
def test_an_operators_arguments_differ_from_a_patterns(name):
    from surgqa.transforms.language.patterns import PATTERN_KEYS

    one = OPERATORS[name]
    if one.selects:
        assert not set(one.params) & set(PATTERN_KEYS)


@cases(
    ("sign", "left", "right", "gives"),
    [
        ("-", INSTANT, INSTANT, DURATION),
        ("+", INSTANT, DURATION, INSTANT),
        ("-", INSTANT, DURATION, INSTANT),
        ("+", DURATION, INSTANT, INSTANT),
        ("+", DURATION, DURATION, DURATION),
        ("/", DURATION, DURATION, NUMBER),
        ("-", NUMBER, NUMBER, NUMBER),
        ("+", INSTANT, INSTANT, None),
        ("-", DURATION, INSTANT, None),
        ("/", INSTANT, DURATION, None),
        ("+", NUMBER, DURATION, None),
    ],
)
def test_sums_of_times_and_lengths(sign, left, right, gives):
    assert arithmetic_type(sign, left, right) == gives


@cases(
    "one", [Type("label", "verb"), Type("track"), Type("act"), INSTANT, NUMBER, Type("record"),
            Type("fact", "phase"), Type("label")],
)  # fmt: skip
def test_the_element_of_many_is_one(one):
    assert element(many("set", one)) == one
    assert element(many("sequence", one)) == one


def test_facts_of_two_kinds_have_what_both_have():
    assert set(fields_of("condition|finding")) == {"label"}
    assert fields_of("condition|finding")["label"] == Type("label")
    assert fields_of("phase")["label"] == Type("label", "phase")


def test_a_fact_without_a_box_has_no_centre():
    assert "centre" not in readers_of(Type("fact", "phase"))
    assert {"centre", "box"} <= set(readers_of(Type("fact", "sample")))


def test_relations_are_no_fields_or_kinds():
    assert not set(RELATIONS) & set(kind_names())


FACT, VERB = Type("fact", "instrument"), Type("label", "verb")


@cases(
    ("name", "main", "args", "gives"),
    [
        ("argmax", FACT, {}, "fact of instrument"),
        ("coalesce", INSTANT, {}, "instant"),
        ("facts", FACT, {}, "facts of instrument"),
        ("iou", FACT, {}, "number"),
        ("iou", FACT, {"least": NUMBER}, "truth"),
        ("labels", VERB, {}, "set of verb"),
        ("near", INSTANT, {}, "pool of instant"),
        ("sequence", FACT, {}, "sequence of instrument"),
        ("sequence", FACT, {"fields": VERB}, "sequence of verb"),
        ("sequence", INSTANT, {}, "sequence of instant"),
        ("set", FACT, {}, "set of instrument"),
        ("set", FACT, {"fields": VERB}, "set of record"),
        ("set", INSTANT, {}, "set of instant"),
        ("total", FACT, {}, "duration"),
    ],
)
def test_what_an_operator_gives(name, main, args, gives):
    result = OPERATORS[name].result
    assert str(result(main, args) if callable(result) else result) == gives

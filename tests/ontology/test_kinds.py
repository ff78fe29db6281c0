"""Kinds of facts: each is described once, and one without a description works."""

from __future__ import annotations

import string

import pytest

from surgqa.ontology import kinds as module
from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.errors import UserError
from surgqa.ontology.kinds import (
    EXCLUSIVE,
    FIELDS,
    LABELLED,
    WORDS,
    default_kind,
    kind,
    kind_names,
    terms_of,
)
from surgqa.ontology.moments import MOMENTS
from tests.each import cases

FORMS = {
    "name", "the", "a", "is", "does", "base", "third", "gerund", "begins", "comes", "touches",
    "changes", "subject", "target", "effect", "clause",
}  # fmt: skip


@cases("name", kind_names())
def test_a_kind_is_described(name):
    one = kind(name)
    assert one.described
    assert one.exclusive in EXCLUSIVE and one.labelled in LABELLED
    assert set(one.fields) <= set(FIELDS)
    assert set(one.words) == set(WORDS)
    assert {name for said in one.terms.values() for name in said} <= set(WORDS)
    assert set(one.terms) <= set(terms_of(one.fields.get("label", "")))
    for text in (*one.words.values(), *(t for said in one.terms.values() for t in said.values())):
        used = {field for _, field, _, _ in string.Formatter().parse(text) if field}
        assert used <= FORMS, text


def test_what_readers_give_is_described():
    """Moments but the channels that were watched, which are what was looked at."""
    assert set(MOMENTS) - {"watched"} <= set(kind_names())


def test_a_union_has_the_fields_of_its_parts():
    for name in kind_names():
        for part in kind(name).union:
            assert set(kind(part).fields) <= set(kind(name).fields) | {"box"}


def test_labels_have_a_vocabulary_or_are_free():
    free = {"any", "kind", "state", "force", "cue", "effect", "reason"}
    for name in kind_names():
        domain = kind(name).fields.get("label", "any")
        assert domain in free or vocabulary(f"{domain}s"), name


def test_a_kind_without_a_file_has_a_default():
    one = kind("blood_loss")
    assert one == default_kind("blood_loss")
    assert not one.described and not one.timeless
    assert {"label", "value", "box"} <= set(one.fields)


def test_timeless_kinds():
    assert {name for name in kind_names() if kind(name).timeless} == {
        "whole_label", "experience", "count", "follows", "needs", "closes", "rule", "effect_of",
        "admissible", "reason",
    }  # fmt: skip


def test_terms():
    assert "hook" in terms_of("instrument")
    assert "divided" in terms_of("effect")
    assert terms_of("force") == ("always", "usually")
    assert terms_of("any") == ()


@pytest.mark.parametrize(
    "wrong",
    [{"exclusive": "maybe"}, {"labelled": "often"}, {"fields": {"colour": "any"}}, {"kind": "x"}],
    ids=str,
)
def test_a_description_that_is_not_in_order(wrong, monkeypatch):
    sound = {"kind": "mine", "fields": {"label": "any"}, "exclusive": "no", "labelled": "spans",
             "words": dict.fromkeys(WORDS, "x")}  # fmt: skip
    monkeypatch.setattr(module, "load_data", lambda folder, name: {**sound, **wrong})
    with pytest.raises(UserError, match=r"."):
        module._read("mine")

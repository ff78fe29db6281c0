"""What a row says of how it is asked and answered."""

from __future__ import annotations

from surgqa.ontology.units import answer_types, asked_us, stage_name


def test_when_a_question_is_put():
    row = {"unit": "now", "query_us": None, "start_us": 3, "end_us": 8}
    assert asked_us(row) == 7
    assert asked_us(row | {"query_us": 5}) == 5
    assert asked_us(row | {"unit": "stream"}) == 3
    assert asked_us(row | {"unit": "clip"}) is None


def test_types_of_the_answer():
    args = '{"answer": {"a": {"type": "label", "of": "verb"}, "b": {"type": "instant"}}}'
    assert answer_types({"rule_args": args}) == [("label", "verb"), ("instant", "")]


def test_names_of_stages():
    assert [stage_name(n) for n in range(3)] == ["main", "Q1", "Q2"]

"""A row's unit: what it says, else what its other fields say."""

from __future__ import annotations

import pytest

from ontology.units import UNITS, answer_types, stage_name, unit_of


@pytest.mark.parametrize(
    ("row", "unit"),
    [
        ({}, "clip"),
        ({"query_us": None, "rounds": []}, "clip"),
        ({"query_us": 0}, "now"),
        ({"query_us": 5, "rounds": [{"round_index": 0}]}, "stream"),
        ({"chain_id": "c", "stage": 0, "query_us": 5}, "chain"),
        ({"stage": 0}, "chain"),
        ({"unit": "recording", "query_us": 5}, "recording"),
        ({"unit": "clip", "rounds": [1]}, "clip"),
    ],
)
def test_the_unit_of_a_row(row, unit):
    assert unit_of(row) == unit and unit in UNITS


def test_types_of_the_answer():
    args = '{"answer": {"a": {"type": "label", "of": "verb"}, "b": {"type": "instant"}}}'
    assert answer_types({"rule_args": args}) == [("label", "verb"), ("instant", "")]
    assert answer_types({}) == answer_types({"rule_args": None}) == []


def test_names_of_stages():
    assert [stage_name(n) for n in range(3)] == ["main", "Q1", "Q2"]

"""Values of a mapping file that are texts with names in braces."""

from __future__ import annotations

import pytest

from surgqa.ontology.errors import FieldInvalid
from surgqa.ontology.sections import Section
from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.readers.base.tables.sorts import FILE
from tests.each import cases


def form(text: str) -> str:
    whole = read_yaml(f"pointer: '{text}'\n", FILE)
    return Section(whole, FILE, (), whole.data).form("pointer", ("first", "last"))


@cases("text", ["lines", "line {first}", "lines {first} to {last}"])
def test_any_of_the_names_may_stand_in_braces(text: str):
    assert form(text) == text


@cases("text", ["{row}", "{first} {row}", "{first"])
def test_other_names_may_not(text: str):
    with pytest.raises(FieldInvalid, match="bad pointer") as raised:
        form(text)
    assert raised.value.where == f"{FILE}:1"

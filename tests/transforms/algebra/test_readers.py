"""Readers: a value has those that every form of the algebra can read."""

from __future__ import annotations

import numpy as np
import pytest

from surgqa.transforms.algebra.columns.read import read
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Label
from surgqa.transforms.algebra.types import Type, readers_of
from surgqa.transforms.algebra.worlds.naive import Interval, Undefined, _of_span
from tests.each import cases
from tests.transforms.algebra import drawn


@cases(
    ("of", "ends"),
    [("verb", True), ("act", True), ("fact of phase", False), ("record", False),
     ("instant", False)],
)  # fmt: skip
def test_a_sequence_has_ends_where_its_members_are_labels(of, ends):
    assert ("first" in readers_of(Type("sequence", of))) == ends
    assert ("last" in readers_of(Type("sequence", of))) == ends


def test_an_act_is_read_as_its_verb_and_its_target():
    import random

    relation = drawn.relation(random.Random(3), 1)
    codes = relation.codes
    code = np.array([codes.code("dissect,cystic_duct"), codes.code("aspirate"), -1], np.int64)
    act = Label(code, np.array([True, True, False]), np.array([False, False, False]))
    rows = Rows.__new__(Rows)
    rows.relation = relation
    verb, target = (read(act, name, None, rows) for name in ("verb", "target"))
    assert [codes.name(one) for one in verb.code.tolist()] == ["dissect", "aspirate", ""]
    assert [codes.name(one) for one in target.code.tolist()] == ["cystic_duct", "", ""]
    assert target.none.tolist() == [False, True, False]
    assert target.ok.tolist() == [True, True, False]


@cases(("reader", "value"), [("start", 3), ("end", 10), ("length", 7), ("middle", 6)])
def test_a_stretch_is_read_in_one_world(reader, value):
    assert _of_span(Interval(3, 10), reader) == value


@pytest.mark.parametrize("reader", ["length", "middle"])
def test_an_empty_stretch_has_neither_length_nor_middle(reader):
    with pytest.raises(Undefined):
        _of_span(Interval(3, 3), reader)

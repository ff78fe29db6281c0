"""Codes, tables and groups of what may be one."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.timeline.relation.draft import reaching, root, union
from surgqa.transforms.timeline.relation.table import (
    INFINITE,
    NONE,
    SHIFT,
    Codes,
    FactTable,
    HoleTable,
    on_axis,
)


def codes_of(*names: str) -> Codes:
    codes = Codes()
    for name in names:
        codes.code(name)
    return codes


def test_codes_are_given_once_and_null_is_none():
    codes = codes_of("b", "a")
    assert (codes.code("a"), codes.code("c"), codes.code("a")) == (1, 2, 1)
    assert codes.code("") == codes.code(None) == NONE
    assert codes.known("nobody") == -2
    assert codes.name(NONE) == ""


def test_ranks_follow_the_names_and_not_the_order_of_arrival():
    codes = codes_of("b", "c", "a")
    assert codes.ranks(np.array([0, 1, 2, NONE])).tolist() == [1, 2, 0, NONE]
    late = codes.code("aa")
    assert codes.ranks(np.array([0, late])).tolist() == [2, 1]


def table(*starts: int) -> FactTable:
    columns = {name: list(starts) for name in ("s0", "s", "s1", "x0")}
    ends = {name: [start + 5 for start in starts] for name in ("e0", "e", "e1", "x1")}
    return FactTable.of({**columns, **ends, "label": list(range(len(starts)))}, len(starts))


def test_a_table_is_sorted_by_its_own_values_alone():
    codes, some = codes_of("b", "c", "a"), table(3, 1, 2)
    a, b = some.by_start(codes), some.take(np.array([2, 0, 1])).by_start(codes)
    assert a.s0.tolist() == b.s0.tolist() == [1, 2, 3]
    assert a.label.tolist() == b.label.tolist() == [1, 2, 0]


def test_facts_of_one_time_are_in_the_order_of_their_names():
    assert table(1, 1, 1).by_start(codes_of("b", "c", "a")).label.tolist() == [2, 0, 1]


def test_what_is_left_out_is_null():
    one = table(3)
    assert (one.track.tolist(), one.sure.tolist(), np.isnan(one.value_lo).tolist()) == (
        [NONE], [True], [True],
    )  # fmt: skip


def test_holes_are_kept_once_in_order():
    row = (0, 1, NONE, NONE, 5, 9, 100)
    holes = HoleTable.of([row, (0, 1, NONE, NONE, 2, 3, 100), row])
    assert list(zip(holes.u0.tolist(), holes.u1.tolist(), strict=True)) == [(2, 3), (5, 9)]


def test_a_group_reaches_from_its_first_to_its_last():
    found = reaching(table(0, 10, 30), np.array([0, 0, 2]))
    assert found.x0.tolist() == [0, 0, 30]
    assert found.x1.tolist() == [15, 15, 35]


def test_chains_of_what_may_be_one_are_one():
    parent = np.arange(4)
    union(parent, 2, 3)
    union(parent, 0, 3)
    assert [root(parent, i) for i in range(4)] == [0, 1, 0, 0]


def test_each_recording_has_a_stretch_of_the_axis_of_its_own():
    assert on_axis(2, 7).item() == (2 << SHIFT) + 7


def test_where_nobody_looked_holes_that_touch_are_joined_whatever_label_they_are_of():
    rows = [(0, 0, 7, NONE, 0, 5, INFINITE), (0, 0, 8, NONE, 5, 7, INFINITE),
            (0, 0, 7, NONE, 8, 9, INFINITE), (0, 0, 7, NONE, 7, 9, 3),
            (0, 1, 7, NONE, 7, 8, INFINITE)]  # fmt: skip
    found = HoleTable.of(rows).joined()
    spans = zip(found.kind, found.label, found.u0, found.u1, strict=True)
    assert sorted(tuple(map(int, one)) for one in spans) == [
        (0, 7, 0, 7), (0, 7, 7, 9), (0, 7, 8, 9), (0, 8, 0, 7), (1, 7, 7, 8),
    ]  # fmt: skip

"""Columns of other rows are gathered when asked for, and are what gathering at once gives."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from surgqa.transforms.algebra.columns.lazy import SelectedColumns, changed, taken

places = st.lists(st.integers(0, 5), max_size=8).map(lambda x: np.array(x, np.int64))


@given(places, st.data())
def test_taken_twice_is_taken_once(first: np.ndarray, data: st.DataObject):
    base = {"a": np.arange(6) * 10, "box": np.arange(24.0).reshape(6, 4)}
    again = taken(base, first)
    most = max(len(first) - 1, 0)
    second = np.array(data.draw(st.lists(st.integers(0, most), max_size=8)), np.int64)
    second = second if len(first) else second[:0]
    if data.draw(st.booleans()):
        assert again["a"].tolist() == base["a"][first].tolist()
    found = taken(again, second)
    for name, column in base.items():
        assert found[name].tolist() == column[first][second].tolist()


def test_a_mask_takes_what_it_marks():
    found = taken({"a": np.arange(3)}, np.array([True, False, True]))
    assert found["a"].tolist() == [0, 2]


def test_of_no_rows_any_row_is_blank():
    nothing = taken({"a": np.arange(3)}, np.zeros(0, np.int64))
    assert taken(nothing, np.zeros(2, np.int64))["a"].tolist() == [0, 0]


def test_what_nobody_asks_for_is_not_gathered():
    class Watched(dict):
        def __getitem__(self, name: str) -> np.ndarray:
            asked.append(name)
            return super().__getitem__(name)

    asked: list[str] = []
    found = SelectedColumns(Watched(a=np.arange(3), b=np.arange(3)), np.array([2, 1]))
    assert found["a"].tolist() == found["a"].tolist() == [2, 1] and asked == ["a"]


def test_changed_columns_are_taken_along():
    found = taken(changed({"a": np.arange(3), "b": np.arange(3)}, b=np.array([7, 8, 9])),
                  np.array([1]))  # fmt: skip
    assert [found[name].tolist() for name in sorted(found)] == [[1], [8]]

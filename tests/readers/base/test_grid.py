"""Tables in text: which line has no end."""

from __future__ import annotations

from surgqa.transforms.readers.base.tables.grid import read_grid
from tests.each import cases


@cases(
    ("text", "cut"),
    [("a,b\n1,2\n3,4\n", 0), ("a,b\n1,2\n3,4", 3), ("a,b\n1,2\n3", 3), ("a,b\n", 0), ("a,b", 0)],
)
def test_a_row_without_an_end_is_known_by_its_line(text: str, cut: int):
    assert read_grid(text.encode(), "rows.csv").cut == cut

"""Sizes of pictures in a COCO file."""

from __future__ import annotations

from surgqa.transforms.readers.base.tables.coco_rows import _side
from tests.each import cases


@cases(("value", "side"), [(1, 1), (1280, 1280), (0, 0), (-1, 0), (True, 0), ("640", 0), (None, 0)])
def test_a_side_is_a_whole_number_of_pixels_or_0_for_anything_else(value, side: int):
    assert _side(value) == side

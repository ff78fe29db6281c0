"""Outlines of masks, and what is no mask."""

import pytest

from tests.transforms.view.made import HOSTILE, MASK, S, ident
from transforms.view.one import boxes, item_of
from transforms.view.pictures import masks, outline


def test_an_outline_has_its_holes():
    path = outline(MASK)
    assert path.count("M") == path.count("Z") == 2 and path.startswith("M125 208L")


@pytest.mark.parametrize("text", [
    "", "48x64", "48x64:", "48x64:zzz", "48x64:0", "-1x5:0", "99999999x99999999:0", "0x0:0",
    HOSTILE, "48x64:\u2603", "1x1:ooooooooooooo",
])  # fmt: skip
def test_what_is_no_mask_has_no_outline(text):
    assert outline(text) == ""


def test_masks_are_those_of_an_instant_that_may_be_seen(db):
    row = item_of(db, ident(0))
    assert [one["masked"] for one in boxes(db, row)] == [True, False, False]
    assert [one["label"] for one in masks(db, row, 12 * S)] == ["grasper"]
    assert masks(db, row, 13 * S) == [] == masks(db, row | {"seen_us": 11 * S}, 12 * S)

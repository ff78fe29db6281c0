"""Run lengths, boxes and outlines hold exactly the pixels they were made from."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.ndimage import label

from surgqa.transforms.evidence.segment.masks import (
    cleaned,
    decode,
    encode,
    outline,
    tight_box,
)
from tests.each import cases

MASKS = arrays(bool, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=14))


@given(MASKS)
@settings(max_examples=100, deadline=None)
def test_run_lengths_come_back_as_the_same_mask(mask):
    counts = encode(mask)
    assert counts.dtype == np.int32
    assert counts.sum() == mask.size
    assert (counts[1:] > 0).all()  # only the first may be empty
    np.testing.assert_array_equal(decode(counts, *mask.shape), mask)


def test_run_lengths_go_row_by_row_and_begin_with_the_background():
    mask = np.array([[0, 1, 1], [1, 0, 0]], bool)
    assert encode(mask).tolist() == [1, 3, 2]
    assert encode(~mask).tolist() == [0, 1, 3, 2]


@cases("counts", [[3, 2], [10, 3], [-1, 13], []])
def test_run_lengths_of_another_picture_are_refused(counts):
    with pytest.raises(ValueError, match="are not a mask of 3 x 4"):
        decode(np.array(counts), 3, 4)


@given(MASKS)
@settings(max_examples=100, deadline=None)
def test_the_box_holds_every_pixel_and_touches_one_at_each_side(mask):
    box = tight_box(mask)
    if not mask.any():
        assert box is None
        return
    height, width = mask.shape
    x1, y1, x2, y2 = np.rint(np.array(box) * [width, height, width, height]).astype(int)
    assert mask[y1:y2, x1:x2].sum() == mask.sum()
    assert mask[y1].any() and mask[y2 - 1].any() and mask[:, x1].any() and mask[:, x2 - 1].any()


@given(MASKS)
@settings(max_examples=100, deadline=None)
def test_the_exact_outline_covers_the_pixels_and_nothing_else(mask):
    shape = shapely.from_wkb(outline(mask, 0.0))
    assert shapely.is_valid(shape)
    assert shape.area == mask.sum()
    y, x = np.mgrid[0 : mask.shape[0], 0 : mask.shape[1]] + 0.5
    np.testing.assert_array_equal(shapely.contains_xy(shape, x, y), mask)


@cases("tolerance", [1.0, 1.5, 2.5])
def test_a_simplified_outline_stays_near_and_costs_fewer_points(tolerance):
    y, x = np.mgrid[0:120, 0:160]
    mask = (np.hypot(x - 70, (y - 60) * 1.4) < 50) & ~(np.hypot(x - 60, y - 60) < 15)
    exact, simple = (shapely.from_wkb(outline(mask, t)) for t in (0.0, tolerance))
    assert simple.is_valid
    assert shapely.hausdorff_distance(exact, simple) <= 2 * tolerance
    assert abs(simple.area - mask.sum()) <= tolerance * exact.length / 2
    assert shapely.get_num_coordinates(simple) < shapely.get_num_coordinates(exact) / 2
    assert len(simple.interiors) == 1
    coordinates = shapely.get_coordinates(simple)
    np.testing.assert_array_equal(coordinates, np.rint(coordinates))


def test_outlines_are_little_endian_and_the_same_each_time():
    mask = np.zeros((9, 9), bool)
    mask[1:3, 1:3] = mask[3:5, 3:5] = mask[6:8, 0:9] = True  # two squares touch at a corner
    wkb = outline(mask, 1.0)
    assert wkb[0] == 1
    assert wkb == outline(mask.copy(order="F"), 1.0)
    assert shapely.from_wkb(wkb).area == mask.sum()
    assert shapely.from_wkb(outline(np.zeros((4, 4), bool), 1.0)).is_empty


def test_small_holes_are_filled_and_small_specks_removed():
    mask = np.zeros((40, 40), bool)
    mask[5:30, 5:30] = True
    mask[8:10, 8:10] = False  # hole of 4
    mask[15:20, 15:20] = False  # hole of 25
    mask[35, 35] = mask[36, 36] = True  # two specks that touch at a corner only
    mask[33:37, 2:6] = True  # a part of 16
    told = cleaned(mask, hole_px=8, speck_px=8)
    assert told[8:10, 8:10].all()
    assert not told[15:20, 15:20].any()
    assert not told[35, 35] and not told[36, 36]
    assert told[33:37, 2:6].all()
    np.testing.assert_array_equal(cleaned(mask, 0, 0), mask)


@given(MASKS, st.integers(0, 9), st.integers(0, 9))
@settings(max_examples=100, deadline=None)
def test_cleaning_a_clean_mask_changes_nothing(mask, hole, speck):
    once = cleaned(mask, hole, speck)
    np.testing.assert_array_equal(cleaned(once, 0, speck), once)
    np.testing.assert_array_equal(cleaned(cleaned(mask, hole, 0), hole, 0), cleaned(mask, hole, 0))


@given(MASKS, st.integers(0, 9), st.integers(0, 9), st.tuples(*[st.integers(0, 12)] * 4))
@settings(max_examples=100, deadline=None)
def test_where_a_mask_lies_does_not_change_what_is_cleaned(mask, hole, speck, room):
    """Only the surroundings of a mask are looked at; the result is that of the whole picture."""
    top, bottom, left, right = room
    picture = np.pad(mask, ((top, bottom), (left, right)))
    whole = picture.copy()
    if hole and mask.any():  # what is not there has no hole
        whole |= parts_up_to(hole, ~picture, np.ones((3, 3)))
    if speck:
        whole &= ~parts_up_to(speck, whole, None)
    np.testing.assert_array_equal(cleaned(picture, hole, speck), whole)


def parts_up_to(most, mask, touching):
    labels, count = label(mask, touching)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    return (sizes <= most)[labels] & mask

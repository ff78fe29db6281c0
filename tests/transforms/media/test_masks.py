"""Masks: their run lengths, their boxes, their files."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.masks import decoded, encoded, from_rows
from surgqa.transforms.media.masks import area_of, box_of, from_coco, from_polygons, label_picture

MASKS = arrays(bool, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=24))


@given(MASKS)
def test_a_mask_comes_back_and_its_box_holds_every_pixel(mask: np.ndarray) -> None:
    text = encoded(mask)
    if not mask.any():
        assert text == ""
        return
    assert np.array_equal(decoded(text), mask)
    assert area_of(text) == pytest.approx(mask.mean())
    rows, columns = np.nonzero(mask)
    height, width = mask.shape
    edges = (columns.min() / width, rows.min() / height, (columns.max() + 1) / width,
             (rows.max() + 1) / height)  # fmt: skip
    assert box_of(text) == pytest.approx(edges)


@given(MASKS)
def test_run_lengths_row_by_row_are_the_same_mask(mask: np.ndarray) -> None:
    flat = mask.ravel().astype(int)
    edges = np.flatnonzero(np.diff(flat, prepend=0))
    runs = np.diff([0, *edges, flat.size]).tolist()
    assert from_rows(runs, *mask.shape) == encoded(mask)


@given(MASKS.filter(lambda mask: bool(mask.any())))
def test_coco_run_lengths_are_taken_whole_or_not_at_all(mask: np.ndarray) -> None:
    text = encoded(mask)
    height, width = mask.shape
    counts = text.split(":", 1)[1]
    told = {"size": [height, width], "counts": counts}
    assert from_coco(told, width, height) == text
    flat = mask.T.reshape(-1)
    edges = np.flatnonzero(np.diff(flat.astype(int), prepend=0))
    plain = np.diff([0, *edges, flat.size]).tolist()
    assert from_coco({"size": [height, width], "counts": plain}, width, height) == text
    for broken in ({**told, "counts": counts[:-1]}, {**told, "counts": counts + "1"},
                   {**told, "size": [height + 1, width]}, {"counts": counts}, None, "x",
                   {**told, "counts": [*plain, 1]}):  # fmt: skip
        assert from_coco(broken, width, height) is None


def test_polygons_are_filled() -> None:
    text = from_polygons([[1, 1, 5, 1, 5, 4, 1, 4]], 8, 6)
    assert area_of(text) == pytest.approx(12 / 48)
    assert from_coco([[1, 1, 5, 1, 5, 4, 1, 4]], 8, 6) == text
    assert from_polygons([[1, 1, 2, 2]], 8, 6) == ""


def test_a_mask_file_is_seen_in_its_own_colours() -> None:
    colours = np.zeros((3, 4, 3), np.uint8)
    colours[1, 2] = (255, 55, 0)
    good = cv2.imencode(".png", colours[:, :, ::-1])[1].tobytes()
    assert np.array_equal(label_picture(good, "m.png"), colours)
    grey = cv2.imencode(".png", colours[:, :, 0])[1].tobytes()
    assert label_picture(grey, "m.png").shape == (3, 4)
    for data in (b"", good[:20], b"no picture"):
        with pytest.raises(SourceBroken, match="not a mask"):
            label_picture(data, "m.png")

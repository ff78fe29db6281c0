"""Pictures go in evenly scaled, boxes come out where they were, overlaps go."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from surgqa.transforms.evidence.detect.pictures import (
    GREY,
    fit,
    found,
    padded_size,
    prepared,
)
from surgqa.transforms.evidence.detect.settings import DetectSettings
from tests.each import cases

WIDE = (192, 320)
ALL = DetectSettings(Path("any.onnx"), confidence=0.1, iou=0.5, most=300)


def raw(boxes: list[tuple[float, float, float, float]], scores: list[list[float]]) -> np.ndarray:
    """(4 + classes, N) as a model gives it: centre, size, a score for each class."""
    corners = np.array(boxes, np.float64).T
    low, high = corners[:2], corners[2:]
    return np.concatenate([(low + high) / 2, high - low, np.array(scores).T]).astype(np.float32)


def test_the_input_is_the_next_multiple_of_32() -> None:
    assert padded_size((192, 320), 256) == (160, 256)
    assert padded_size((434, 774), 640) == (384, 640)
    assert padded_size((480, 480), 320) == (320, 320)
    assert padded_size((10, 1000), 320) == (32, 320)


def test_a_picture_lies_in_the_middle_with_grey_around() -> None:
    picture = np.zeros((1, 192, 320, 3), np.uint8)
    picture[..., 0] = 255
    place = fit(WIDE, (256, 256))
    planes = prepared(picture, place, 3)
    assert planes.shape == (3, 3, 256, 256)
    assert planes.dtype == np.float32
    assert (place.top, place.left, place.inner_height) == (51, 0, 154)
    np.testing.assert_array_equal(planes[0, :, 100, 100], [1, 0, 0])
    np.testing.assert_array_equal(planes[0, :, 50, 100], np.float32(GREY / 255))
    np.testing.assert_array_equal(planes[0, :, 205, 100], np.float32(GREY / 255))
    np.testing.assert_array_equal(planes[1:], np.float32(GREY / 255))


@cases("size", [(192, 320), (320, 192), (434, 774), (33, 1000)])
def test_boxes_come_back_to_where_they_were(size: tuple[int, int]) -> None:
    place = fit(size, (256, 256))
    height, width = size
    box = np.array([0.2 * width, 0.3 * height, 0.6 * width, 0.9 * height])
    shift = np.array([place.left, place.top] * 2)
    output = raw([tuple(box * place.scale + shift)], [[0.0, 0.8]])
    got = found(output, 2, place, size, ALL)
    np.testing.assert_allclose(got[0], [*box, 0.8, 1], atol=1e-3)


def test_boxes_end_at_the_picture() -> None:
    place = fit((256, 256), (256, 256))
    got = found(raw([(-20, -5, 300, 40)], [[0.9]]), 1, place, (256, 256), ALL)
    np.testing.assert_array_equal(got, [[0, 0, 256, 40, 0.9, 0]])


def test_overlapping_boxes_of_one_class_go_and_others_stay() -> None:
    boxes = [(0, 0, 100, 100), (5, 5, 105, 105), (0, 0, 100, 100), (60, 60, 160, 160)]
    scores = [[0.6, 0.0], [0.9, 0.0], [0.0, 0.7], [0.5, 0.0]]
    got = found(raw(boxes, scores), 2, fit((256, 256), (256, 256)), (256, 256), ALL)
    assert got[:, 4].tolist() == [0.9, 0.7, 0.5]
    assert got[:, 5].tolist() == [0, 1, 0]


def test_weak_boxes_and_those_beyond_the_most_go() -> None:
    boxes = [(20 * n, 0, 20 * n + 10, 10) for n in range(7)]
    scores = [[0.0], [0.05], [0.3], [0.2], [0.09994], [0.09996], [0.5]]
    place = fit((256, 256), (256, 256))
    got = found(raw(boxes, scores), 1, place, (256, 256), ALL)
    # Scores are rounded first: what is stored as 0.1 counts as 0.1.
    assert got[:, 4].tolist() == [0.5, 0.3, 0.2, 0.1]
    most = found(raw(boxes, scores), 1, place, (256, 256), replace(ALL, most=2))
    assert most[:, 4].tolist() == [0.5, 0.3]


def test_equal_scores_go_by_their_place_in_the_output() -> None:
    boxes = [(0, 0, 100, 100), (2, 2, 102, 102)]
    place = fit((256, 256), (256, 256))
    first = found(raw(boxes, [[0.5], [0.5]]), 1, place, (256, 256), ALL)
    second = found(raw(boxes[::-1], [[0.5], [0.5]]), 1, place, (256, 256), ALL)
    assert first[:, 0].tolist() == [0]
    assert second[:, 0].tolist() == [2]


def test_a_model_that_settles_overlaps_itself_is_taken_at_its_word() -> None:
    rows = [(0, 0, 100, 100, 0.4, 1), (1, 1, 100, 100, 0.9, 1), (0, 0, 0, 0, 0, 0)]
    output = np.array(rows * 100, np.float32)[:300]
    got = found(output, 2, fit((256, 256), (256, 256)), (256, 256), replace(ALL, most=150))
    assert len(got) == 150
    assert (np.diff(got[:, 4]) <= 0).all()
    assert got[0].tolist() == [1, 1, 100, 100, 0.9, 1]


def test_no_boxes_is_a_table_without_rows() -> None:
    place = fit((256, 256), (256, 256))
    assert found(raw([(0, 0, 9, 9)], [[0.0]]), 1, place, (256, 256), ALL).shape == (0, 6)

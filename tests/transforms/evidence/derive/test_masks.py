"""Geometry of run-length masks, pixel by pixel over drawn ones."""

from __future__ import annotations

import numpy as np
import pytest

from surgqa.transforms.evidence.derive import masks
from surgqa.transforms.evidence.derive.tracks import BoxTrack

HEIGHT, WIDTH, EDGE = 8, 16, 1 / 8
"""The edge is one line high and two columns wide."""


@pytest.fixture
def pictures(make, monkeypatch):
    """Seven drawn masks, read three at a time, and a table of them in another order."""
    monkeypatch.setattr(masks, "CHUNK", 3)
    drawn = np.random.default_rng(3).random((7, HEIGHT, WIDTH)) < 0.08
    drawn[1, [0, -1]] = drawn[1, :, [0, 1, -2, -1]] = False  # none of it at the edge
    drawn[2, 3:6] = True  # one run over three lines
    order = np.array([4, 2, 0, 6, 1, 5, 3])
    table = make.masks(make.mask_rows(1, "hook", range(7), drawn[np.argsort(order)]))
    return drawn, table, order


def pixels(picture: np.ndarray) -> np.ndarray:
    """Return float (N, 4), the box of each pixel of a mask, in [0, 1]."""
    y, x = np.nonzero(picture)
    return np.stack([x / WIDTH, y / HEIGHT, (x + 1) / WIDTH, (y + 1) / HEIGHT], axis=1)


def test_the_middle_of_what_lies_at_the_edge(pictures):
    drawn, table, order = pictures
    frame = np.ones((HEIGHT, WIDTH), bool)
    frame[1:-1, 2:-2] = False
    for picture, found in zip(drawn, masks.entries(table, order, EDGE), strict=True):
        there = pixels(picture & frame)
        wanted = (there[:, :2] + there[:, 2:]).mean(axis=0) / 2 if len(there) else [np.nan] * 2
        np.testing.assert_allclose(found, wanted)


def test_the_point_farthest_from_an_entry(pictures):
    drawn, table, order = pictures
    entry = np.random.default_rng(4).random((7, 2))
    found = masks.far_ends(table, order, entry)
    for picture, start, one in zip(drawn, entry, found, strict=True):
        x1, y1, x2, y2 = pixels(picture).T
        ends = np.concatenate([np.stack([x, (y1 + y2) / 2], axis=1) for x in (x1, x2)])
        assert one == pytest.approx(ends[((ends - start) ** 2).sum(axis=1).argmax()])


def test_the_distance_to_a_box(pictures):
    drawn, table, order = pictures
    low = np.random.default_rng(5).random((7, 2)) * 0.9
    boxes = np.concatenate([low, low + 0.02], axis=1)
    found = masks.distance_to(table, order, boxes)
    for picture, box, one in zip(drawn, boxes, found, strict=True):
        there = pixels(picture)
        away = np.maximum(np.maximum(there[:, :2] - box[2:], box[:2] - there[:, 2:]), 0)
        assert one == pytest.approx(np.hypot(*away.T).min())


def test_nothing_is_in_an_empty_mask(make):
    (row,) = make.mask_rows(1, "hook", [0], np.ones((1, HEIGHT, WIDTH), bool))
    table = make.masks([row | {"counts": [HEIGHT * WIDTH]}])
    assert np.isnan(masks.entries(table, np.array([0]), EDGE)).all()
    assert np.isnan(masks.far_ends(table, np.array([0]), np.zeros((1, 2)))).all()
    assert masks.distance_to(table, np.array([0]), np.zeros((1, 4))) == np.inf


@pytest.mark.parametrize(
    ("box", "wanted"),
    [
        ((0.25, 0.25, 0.5, 0.5), True), ((0.4, 0.4, 1.0, 1.0), True), ((0.0, 0.0, 0.3, 0.3), True),
        ((0.5, 0.25, 0.6, 0.5), False), ((0.25, 0.5, 0.5, 0.6), False),
        ((0.0, 0.25, 0.25, 0.5), False), ((0.25, 0.0, 0.5, 0.25), False),
    ],
)  # fmt: skip
def test_a_mask_is_of_a_track_whose_box_it_overlaps(make, box, wanted):
    """Not only touches; and of its number, label and time."""
    picture = np.zeros((1, HEIGHT, WIDTH), bool)
    picture[0, 2:4, 4:8] = True  # 0.25 to 0.5 both ways
    rows = [(1, "hook", [3]), (2, "hook", [5]), (1, "grasper", [7]), (1, "hook", [9])]
    table = make.masks(*(make.mask_rows(*one, picture) for one in rows))
    track = BoxTrack(1, "instrument", "hook", np.array([1, 5, 7, 9]),
                     np.array([box] * 4), np.full(4, None), np.full(4, None))  # fmt: skip
    assert masks.rows_of(table, track).tolist() == [-1, -1, -1, 3 if wanted else -1]

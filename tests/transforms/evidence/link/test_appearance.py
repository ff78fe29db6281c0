"""Descriptors: shapes, what they tell apart, the same bytes everywhere."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from surgqa.transforms.evidence.link.appearance import BYTES, describe_all, distance
from tests.each import cases


@pytest.fixture
def picture() -> np.ndarray:
    """Noise, with a red and a blue field."""
    dice = np.random.Generator(np.random.PCG64(5))
    made = dice.integers(90, 130, (240, 320, 3), dtype=np.uint8)
    made[20:100, 20:120] = (200, 40, 30)
    made[140:220, 20:120] = (30, 60, 200)
    return made


def describe(picture: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    return describe_all([picture], [boxes])[0]


RED, BLUE, PLAIN = (20, 20, 120, 100), (20, 140, 120, 220), (180, 60, 280, 160)


def test_shapes(picture):
    found = describe(picture, np.array([RED, BLUE], float))
    assert found.shape == (2, BYTES) and found.dtype == np.uint8 and BYTES <= 96
    assert describe(picture, np.empty((0, 4))).shape == (0, BYTES)


def test_the_same_bytes_on_every_machine(picture):
    found = describe(picture, np.array([RED, PLAIN, (3.7, 9.2, 61.4, 88.8)], float))
    digest = hashlib.sha256(found.tobytes()).hexdigest()
    assert digest == "6e9e9b1e52b13716314aba8f63679c575dc05931687f6590ad3e2007e3531a7c"


def test_one_box_does_not_depend_on_the_others(picture):
    boxes = np.array([RED, BLUE, PLAIN, (-9, -9, -1, -1)], float)
    alone = np.concatenate([describe(picture, box[None]) for box in boxes])
    assert np.array_equal(describe(picture, boxes), alone)


def test_a_moved_box_looks_alike_and_another_colour_does_not(picture):
    moved = (24, 23, 124, 103)
    apart = distance(
        *(describe(picture, np.array(b, float)) for b in ([RED], [moved, BLUE, PLAIN]))
    )
    assert apart.shape == (1, 3)
    assert apart[0, 0] < 0.2 < 0.3 < apart[0, 1:].min()


def test_light_changes_looks_less_than_things(picture):
    darker = (picture * 0.85).astype(np.uint8)
    boxes = np.array([RED, BLUE], float)
    apart = distance(describe(picture, boxes), describe(darker, boxes))
    assert apart.diagonal().max() < apart[~np.eye(2, dtype=bool)].min() / 1.5


def test_distance_is_a_distance(picture):
    found = describe(picture, np.array([RED, BLUE, PLAIN], float))
    apart = distance(found, found)
    assert np.array_equal(apart, apart.T)
    assert (apart.diagonal() == 0).all() and (apart <= 1).all()


def test_outside_of_the_picture_nothing_is_seen(picture):
    outside = describe(picture, np.array([(-50, -50, -10, -10), (320, 0, 400, 50)], float))
    assert not outside.any()
    assert np.isnan(distance(outside, describe(picture, np.array([RED], float)))).all()


@cases("shape", [(1, 1, 3), (2, 300, 3), (300, 2, 3)])
def test_the_smallest_pictures_work(shape):
    found = describe(np.full(shape, 77, np.uint8), np.array([(0, 0, shape[1], shape[0])], float))
    assert found.any()

"""Boxes between two of a track."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from surgqa.transforms.evidence.link import bridge

TIMES = np.array([0, 40_000, 90_000, 120_000, 160_000, 1_400_000, 1_440_000], np.int64)
BOX = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.2, 0.7, 0.6], [0.5, 0.2, 0.7, 0.6]])


def test_boxes_lie_on_the_line_at_the_instants_looked_at():
    made = bridge(TIMES, np.array([0, 4]), np.array([7, 7]), BOX[:2], 1_000_000)
    assert made.sample.tolist() == [1, 2, 3]
    assert made.track.tolist() == [7, 7, 7]
    for sample, box in zip(made.sample, made.box_xyxy, strict=True):
        share = Fraction(int(TIMES[sample]), 160_000)
        exact = [Fraction(a) + (Fraction(b) - Fraction(a)) * share for a, b in BOX[:2].T]
        assert np.allclose(box, [float(e) for e in exact], rtol=0, atol=1e-15)


def test_only_short_gaps_are_bridged_and_ends_are_not():
    sample, track = np.array([0, 4, 6]), np.array([0, 0, 0])
    assert bridge(TIMES, sample, track, BOX, 1_000_000).sample.tolist() == [1, 2, 3]
    assert bridge(TIMES, sample, track, BOX, 2_000_000).sample.tolist() == [1, 2, 3, 5]
    assert len(bridge(TIMES, sample, track, BOX, 0).sample) == 0


def test_tracks_are_not_bridged_to_one_another_nor_over_dropped_boxes():
    sample = np.array([0, 3, 4])
    assert len(bridge(TIMES, sample, np.array([0, 1, 2]), BOX, 1_000_000).sample) == 0
    made = bridge(TIMES, sample, np.array([0, -1, 0]), BOX, 1_000_000)
    assert made.sample.tolist() == [1, 2, 3]
    assert len(bridge(TIMES, np.empty(0, int), np.empty(0, int), BOX[:0], 10).sample) == 0


def test_the_order_of_rows_does_not_matter():
    made = bridge(TIMES, np.array([4, 0]), np.array([7, 7]), BOX[1::-1], 1_000_000)
    assert made.sample.tolist() == [1, 2, 3] and made.before.tolist() == [1, 1, 1]

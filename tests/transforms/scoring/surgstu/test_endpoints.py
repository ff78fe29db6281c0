"""End points of trajectories and windows: three scores with their published weights."""

from __future__ import annotations

from math import sqrt

import pytest

from surgqa.transforms.scoring.surgstu.scorers import endpoints_score
from surgqa.transforms.scoring.typed.parts import Bounds
from tests.each import cases

AT_5, AT_9 = Bounds(5, 5, 5), Bounds(8, 9, 10)
BOX = (0.0, 0.0, 0.2, 0.2)
FAR = (0.6, 0.8, 0.8, 1.0)
"""Its centre is 1.0 away, which is 1 / sqrt 2 of the longest distance."""


@cases(
    ("said", "errors"),
    [
        ([(5.0, BOX), (8.0, None)], [(0, 0), (0, 0)]),
        ([(7.0, BOX), (11.0, None)], [(0.1, 0), (0.05, 0)]),
        ([(5.0, FAR), (9.0, FAR)], [(0, 1 / sqrt(2)), (0, 0)]),
        ([(7.0, FAR), (9.0, None)], [(0.1, 1 / sqrt(2)), (0, 0)]),
        ([(None, None), (None, None)], [(1, 1), (1, 0)]),
    ],
)
def test_centre_time_and_both_together_are_weighted(said, errors):
    gold = [(AT_5, BOX), (AT_9, None)]
    centre = sum(1 - far for _, far in errors) / 2
    time = sum(1 - late for late, _ in errors) / 2
    both = max(0, 1 - sum(sqrt(late**2 + far**2) for late, far in errors) / 2)
    wanted = 0.35 * centre + 0.25 * time + 0.40 * both
    assert endpoints_score(said, gold, 20.0) == pytest.approx(wanted)

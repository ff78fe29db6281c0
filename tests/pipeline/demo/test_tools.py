"""Outlines of the drawn instruments: changed only by those who mean to change them."""

from __future__ import annotations

from surgqa.ontology.keys import digest
from surgqa.pipeline.demo.tools import HOLE, Pose, tip_shapes
from tests.each import cases

POSE = Pose((0, 0), (1, 0), opening=0.5, load=True)
OUTLINES = {
    "grasper": "5257ce30ea97",
    "bipolar": "352a5b43ecba",
    "hook": "98a776b2bd43",
    "scissors": "2b17e9869a7d",
    "clipper": "ac1a5a66752b",
    "irrigator": "56fab4e4fa82",
}


@cases("name", OUTLINES)
def test_outlines_are_those_that_were_designed(name: str):
    found = [[one.rgb, [[round(float(x), 3) for x in point] for point in one.points]]
             for one in tip_shapes(name, POSE)]  # fmt: skip
    assert digest(str(found))[:12] == OUTLINES[name]


def test_the_irrigators_holes_lie_in_two_rows_around_one_on_the_axis():
    holes = [one.points for one in tip_shapes("irrigator", POSE) if one.rgb == HOLE]
    sides = [sum(b for _, b in points) / len(points) for points in holes]
    assert sorted(sides) == [-4, -4, 0, 5, 5]

"""Where a region lies: place_now."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.questions.queries.places import EDGE, PLACES, place_of

from .scenes import NOWHERE, S, found, query, results, scene, span, table, wrong

UPPER_LEFT = (0.1, 0.05, 0.2, 0.15)
ON_EDGE = (0.30, 0.1, 0.36, 0.2)
COLON = ("polyp", "ulcer")
AT = {
    10: [("polyp", UPPER_LEFT)],
    20: [("polyp", UPPER_LEFT), ("polyp", (0.8, 0.8, 0.9, 0.9))],
    30: [("polyp", UPPER_LEFT), ("ulcer", (0.8, 0.8, 0.9, 0.9))],
    40: [("polyp", ON_EDGE)],
    50: [("polyp", NOWHERE)],
    60: [("ulcer", (0.8, 0.45, 0.9, 0.55))],
}


def _scene(*parts, at=AT):
    return scene(*parts, regions={"finding": table({t: at.get(t, []) for t in range(61)}, COLON)})


def test_where_the_only_region_lies():
    asked = {one.query_us // S: one for one in found(_scene(), "lesion_region.finding", every=1)}
    assert set(asked) == {10, 60}, "not two, not on a border, not without a box"
    assert asked[10].value == {"kind": "finding", "label": "polyp", "region": "upper left"}
    assert asked[10].slots == {"about": {"kind": "finding"}, "label": "polyp"}
    assert asked[60].right == "middle right"
    for one in asked.values():
        assert len(set(wrong(one)) - {one.right}) == 3
        (pointer,) = one.pointers
        assert (pointer.kind, pointer.start_us) == ("regions", one.query_us)


def test_a_lesion_that_moves_is_asked_about_where_it_is_now():
    at = {t: [("polyp", (0.01 * t, 0.1, 0.01 * t + 0.1, 0.2))] for t in range(61)}
    for one in found(_scene(at=at), "lesion_region.finding", every=1):
        x = 0.01 * (one.query_us // S) + 0.05
        assert one.right == place_of(x, 0.15)
        assert [p.start_us for p in one.pointers] == [one.query_us]


def test_regions_beside_spans():
    beside = _scene(span("finding", "ulcer", 5, 55))
    marked = found(beside, "lesion_region.marked_finding", every=1)
    assert [one.query_us // S for one in marked] == [10, 60]
    assert marked[0].value["kind"] == "finding"


@pytest.mark.parametrize("until", [5, 55])
def test_spans_have_no_place(until):
    asked, reasons = results(_scene(span("finding", "ulcer", 0, until)),
                             query("lesion_region.finding", every=1))  # fmt: skip
    assert asked == []
    assert reasons


@given(st.floats(0, 1), st.floats(0, 1))
def test_every_point_has_one_place_unless_it_is_near_a_border(x, y):
    place = place_of(x, y)
    near = any(abs(v - edge) < EDGE for v in (x, y) for edge in (1 / 3, 2 / 3))
    assert (place is None) == near
    if place:
        down, across = place.split()
        assert place in PLACES
        assert across == ("left" if x < 1 / 3 else "centre" if x < 2 / 3 else "right")
        assert down == ("upper" if y < 1 / 3 else "middle" if y < 2 / 3 else "lower")

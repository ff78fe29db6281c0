"""The table of a video's instances: their order and their columns."""

from __future__ import annotations

import numpy as np

from surgqa.ontology.records import UNKNOWN
from surgqa.transforms.readers.base import Thing, table_of_things


def test_things_stand_in_order_with_their_columns() -> None:
    things = [
        Thing(1, "b", (0.2, 0.2, 0.4, 0.4), row=1, track=7, attributes={"hand": "left"}),
        Thing(0, "a", None, (("cut", "liver"),), row=2),
        Thing(1, "a", (0.1, 0.1, 0.2, 0.2), row=0, attributes={"area": 0.5, "hand": "right"}),
    ]
    table = table_of_things(
        np.array([0, 10]), np.array([0, 1]), things, ("a", "b", "c"), "{frame} {row}"
    )
    assert table.sample.tolist() == [0, 1, 1]
    assert [table.labels[code] for code in table.label] == ["a", "a", "b"]
    assert table.pairs.tolist() == [0, UNKNOWN, UNKNOWN]
    assert table.track.tolist() == [UNKNOWN, UNKNOWN, 7]
    assert table.box_origin == "manual" and table.masks == ()
    area, hand = table.attributes
    assert (area.name, hand.name, hand.words) == ("area", "hand", ("left", "right"))
    assert np.array_equal(area.values, [np.nan, 0.5, np.nan], equal_nan=True)
    assert np.array_equal(hand.values, [np.nan, 1, 0], equal_nan=True)
    nothing = table_of_things(np.array([0]), np.array([3]), [], ("a",), "{frame} {row}")
    assert nothing.box_origin == "none" and nothing.box_xyxy.shape == (0, 4)

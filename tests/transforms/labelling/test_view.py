"""Tables of a store: those of the video that is worked on are read once."""

from __future__ import annotations

from surgqa.transforms.labelling.view import StoreView


def test_tables_of_one_video_are_read_once(store):
    view = StoreView(store({"a": [], "b": []}))
    first = view.table("a", "boxes")
    assert view.table("a", "boxes") is first
    assert view.table("a", "frames") is not first
    assert view.table("b", "boxes").num_rows == 0
    assert view.table("a", "boxes") is not first

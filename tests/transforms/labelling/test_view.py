"""Tables of a store: those of the video that is worked on are read once."""

from __future__ import annotations

import cv2
import numpy as np

from surgqa.transforms.labelling.view import StoreView
from surgqa.transforms.media.digests import media_digest


def test_tables_of_one_video_are_read_once(store):
    view = StoreView(store({"a": [], "b": []}))
    first = view.table("a", "boxes")
    assert view.table("a", "boxes") is first
    assert view.table("a", "frames") is not first
    assert view.table("b", "boxes").num_rows == 0
    assert view.table("a", "boxes") is not first


def test_a_folder_whose_numbers_begin_with_one_shows_the_frame_of_the_time(store, tmp_path):
    (tmp_path / "f").mkdir()
    for number in (1, 2, 3):
        cv2.imwrite(str(tmp_path / "f" / f"{number:06d}.png"), np.full((4, 6, 3), number, np.uint8))
    medium = {"kind": "frames", "path": "f", "fps": [1, 1], "first": 1,
              "sha256": media_digest(tmp_path / "f", "f", {})}  # fmt: skip
    view = StoreView(store({"a": []}, facts={"a": {"medium": medium}}))
    assert [int(view.picture("a", time_us).max()) for time_us in (0, 2_000_000)] == [1, 3]

"""Boxes and a clock on what is cut: where they are, when, and that nothing else changes."""

from __future__ import annotations

import io

import av
import cv2
import numpy as np
import pytest

from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.media import film_of
from surgqa.transforms.media.cuts import CutLook, clip_of, picture_of
from surgqa.transforms.media.overlay import DrawnBox, Overlay, drawn

S = 1_000_000
BOX = (0.25, 0.25, 0.75, 0.75)
GREY = np.full((240, 320, 3), 90, np.uint8)


def edge(picture):
    """Whether the left edge of the box is drawn."""
    return int(np.abs(picture[100:140, 80].astype(int) - 90).max()) > 40


def test_a_box_is_drawn_in_its_time_and_the_picture_stays():
    overlay = Overlay(10 * S, (DrawnBox(11 * S, 12 * S, "hook", BOX),))
    assert edge(drawn(GREY, overlay, 11 * S)) and edge(drawn(GREY, overlay, 12 * S - 1))
    assert not edge(drawn(GREY, overlay, 12 * S)) and not edge(drawn(GREY, overlay, 11 * S - 1))
    assert (GREY == 90).all()
    inside = drawn(GREY, overlay, 11 * S)[120, 160]
    assert inside.tolist() == [90, 90, 90]


def test_the_clock_counts_from_its_zero():
    one, other = Overlay(10 * S), Overlay(11 * S)
    assert (drawn(GREY, one, 12 * S) == drawn(GREY, other, 13 * S)).all()
    assert (drawn(GREY, one, 12 * S) != drawn(GREY, other, 12 * S)).any()
    below = drawn(GREY, one, 12 * S)[200:, :120]
    assert (below != 90).any()
    assert (drawn(GREY, None, 12 * S) == GREY).all()


@pytest.fixture
def film(tmp_path):
    """One picture a second, 0 to 5."""
    (tmp_path / "f").mkdir()
    for k in range(6):
        cv2.imwrite(str(tmp_path / "f" / f"{k:06d}.png"), GREY)
    from fractions import Fraction

    return film_of(tmp_path, Media(MediaKind.FRAMES, "f"), Fraction(1))


def test_a_clip_shows_boxes_where_they_are_known(film):
    overlay = Overlay(1 * S, (DrawnBox(2_500_000, 3_500_000, "hook", BOX),))
    cut = clip_of(film, 1 * S, 5 * S, CutLook(None), overlay=overlay)
    with av.open(io.BytesIO(cut.data)) as box:
        shown = [edge(one.to_ndarray(format="rgb24")) for one in box.decode(video=0)]
    assert shown == [False, False, True, False]
    assert cut.data != clip_of(film, 1 * S, 5 * S, CutLook(None)).data
    again = clip_of(film, 1 * S, 5 * S, CutLook(None), overlay=overlay)
    assert again == cut


def test_a_picture_has_its_overlay(film):
    overlay = Overlay(0, (DrawnBox(2 * S, 3 * S, "hook", BOX),))
    times = (2_400_000, 3_400_000)
    data = [picture_of(film, time, CutLook(None), overlay).data for time in times]
    found = [cv2.imdecode(np.frombuffer(one, np.uint8), cv2.IMREAD_COLOR) for one in data]
    assert [edge(one) for one in found] == [True, False]

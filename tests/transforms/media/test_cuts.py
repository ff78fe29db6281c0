"""Clips and pictures are cut by the times at which frames are shown."""

from __future__ import annotations

import io
from fractions import Fraction

import av
import cv2
import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.media import cuts, film_of
from surgqa.transforms.media.cuts import (
    CutLook,
    NoPicture,
    clip_of,
    frames_between,
    picture_of,
    unseen_of,
)

S = 1_000_000
PLAIN = {"preset": "ultrafast", "bf": "2", "g": "20"}
WHOLE = CutLook(None)


@pytest.fixture
def steady(tmp_path, render):
    """Four seconds at 25 pictures a second."""
    render.write(tmp_path / "a.mp4", options=PLAIN, rate=25, count=100)
    return film_of(tmp_path, Media(MediaKind.VIDEO, "a.mp4"))


@pytest.fixture
def uneven(tmp_path, render):
    """Pictures whose distances vary: 0, 0.1, 0.3, 0.6, 1.0, 1.5, 2.1 s."""
    times = [Fraction(n * (n + 1), 20) for n in range(7)]
    render.write(tmp_path / "v.mp4", options=PLAIN, count=7, times=times)
    return film_of(tmp_path, Media(MediaKind.VIDEO, "v.mp4"))


@pytest.fixture
def folder(tmp_path, render):
    """One picture a second, 0 to 11, without 5 and 6."""
    (tmp_path / "f").mkdir()
    for k in (*range(5), *range(7, 12)):
        cv2.imwrite(str(tmp_path / "f" / f"{k:06d}.png"), render.picture(k)[..., ::-1])
    return film_of(tmp_path, Media(MediaKind.FRAMES, "f"), Fraction(1))


def shown(data):
    """(microseconds, picture) of each frame of a clip, and its length."""
    with av.open(io.BytesIO(data)) as box:
        stream = box.streams.video[0]
        frames = [(round(one.pts * one.time_base * S), one.to_ndarray(format="rgb24"))
                  for one in box.decode(stream)]  # fmt: skip
        return frames, round(stream.duration * stream.time_base * S)


def numbers(render, data):
    return [render.number_in(one) for _, one in shown(data)[0]]


@pytest.mark.parametrize(
    ("start", "end", "first", "last"),
    [(0, 1 * S, 0, 24), (1 * S, 2 * S, 25, 49), (1_000_001, 2 * S, 25, 49),
     (1 * S, 2_000_001, 25, 50), (3 * S, 9 * S, 75, 99)],
    ids=["whole seconds", "later", "inside a frame", "one microsecond more", "to the end"],
)  # fmt: skip
def test_a_clip_has_the_frames_on_screen_in_its_half_open_stretch(
    steady, render, start, end, first, last
):
    cut = clip_of(steady, start, end, WHOLE)
    assert numbers(render, cut.data) == list(range(first, last + 1))
    assert (cut.first_us, cut.last_us) == (first * 40_000, last * 40_000)
    frames, length = shown(cut.data)
    assert frames[0][0] == 0 and frames[-1][0] == last * 40_000 - start
    assert length == end - start and cut.frames == last - first + 1


def test_frames_of_an_uneven_recording_keep_their_times(uneven, render):
    cut = clip_of(uneven, 200_000, 2_000_000, WHOLE)
    frames, length = shown(cut.data)
    assert numbers(render, cut.data) == [1, 2, 3, 4, 5]
    assert [time for time, _ in frames] == [0, 100_000, 400_000, 800_000, 1_300_000]
    assert length == 1_800_000


def test_a_folder_of_frames_has_no_picture_in_its_gap(folder, render):
    assert numbers(render, clip_of(folder, 3 * S, 9 * S, WHOLE).data) == [3, 4, 7, 8]
    with pytest.raises(NoPicture, match=r"nothing from 5\.00 to 6\.50 s"):
        clip_of(folder, 5 * S, 6_500_000, WHOLE)
    with pytest.raises(NoPicture, match=r"nothing at 5\.50 s"):
        picture_of(folder, 5_500_000, WHOLE)
    assert picture_of(folder, 4_999_999, WHOLE).first_us == 4 * S


def test_pictures_are_thinned_evenly_and_asked_ones_stay(steady):
    assert frames_between(steady, 0, 4 * S, Fraction(2)) == [0, 13, 25, 38, 50, 63, 75, 88]
    cut = clip_of(steady, 0, 4 * S, CutLook(96, Fraction(1)), (1_234_000,))
    assert [time for time, _ in shown(cut.data)[0]] == [0, S, 1_200_000, 2 * S, 3 * S]
    assert (cut.width, cut.height) == (96, 48)


def test_instants_that_are_not_shown_are_told(steady):
    assert unseen_of(steady, (1, 3_999_999, 4_500_000), ()) == (4_500_000,)
    assert unseen_of(steady, (1, 3_999_999), (99,)) == (3_999_999,)


def test_the_same_cut_has_the_same_bytes(steady):
    assert clip_of(steady, 0, S, CutLook(64)) == clip_of(steady, 0, S, CutLook(64))


def test_a_picture_is_the_one_on_screen(steady, render):
    cut = picture_of(steady, 1_239_999, CutLook(96))
    found = cv2.imdecode(np.frombuffer(cut.data, np.uint8), cv2.IMREAD_COLOR)[..., ::-1]
    assert render.number_in(found) == 30 and found.shape == (48, 96, 3)
    assert cut.first_us == 1_200_000


def black(pictures):
    return [(pictures[0][0], np.zeros_like(pictures[0][1])), *pictures[1:]]


def late(pictures):
    return [*pictures[:-1], (pictures[-1][0] + 20_000, pictures[-1][1])]


@pytest.mark.parametrize(
    ("change", "found"),
    [(lambda pictures: pictures[:-1], "24 frames"), (black, "differences"), (late, "980000"),
     (lambda pictures: [*pictures[:-1], (pictures[-1][0], pictures[0][1])], "differences")],
    ids=["one less", "another first", "a later last", "another last"],
)  # fmt: skip
def test_a_clip_whose_ends_came_out_wrong_is_not_handed_out(steady, monkeypatch, change, found):
    encoded = cuts._encoded
    monkeypatch.setattr(cuts, "_encoded", lambda pictures, *more: encoded(
        iter(change(list(pictures))), *more))  # fmt: skip
    with pytest.raises(SourceBroken, match="differs from its frames") as told:
        clip_of(steady, 0, 1 * S, WHOLE)
    assert found in str(told.value.found)

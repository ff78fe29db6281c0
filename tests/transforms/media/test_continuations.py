"""Clips with the exact number of frames, the first of which is the picture of the prompt."""

from __future__ import annotations

from fractions import Fraction

import av
import cv2
import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken, UserError
from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.media import film_of
from surgqa.transforms.media.continuations import write_continuation

PLAIN = {"preset": "ultrafast", "bf": "2", "g": "20"}


def film(folder, render, name="a.mp4", **more):
    render.write(folder / name, options=PLAIN, **more)
    return film_of(folder, Media(MediaKind.VIDEO, name))


def shown(path):
    with av.open(str(path)) as box:
        stream = box.streams.video[0]
        frames = [(one.pts * stream.time_base, one.to_ndarray(format="rgb24"))
                  for one in box.decode(stream)]  # fmt: skip
        return stream.average_rate, frames


@pytest.mark.parametrize(("rate", "count", "first"), [(25, 200, 31), (24, 192, 0)])
def test_eight_seconds_have_so_many_frames(tmp_path, render, rate, count, first):
    source = film(tmp_path, render, rate=rate, count=first + count)
    write_continuation(source, first, count, Fraction(rate), tmp_path / "f.png", tmp_path / "c.mp4")
    found, frames = shown(tmp_path / "c.mp4")
    assert (found, len(frames)) == (rate, count)
    assert [time for time, _ in frames] == [Fraction(k, rate) for k in range(count)]
    assert [render.number_in(one) for _, one in frames] == list(range(first, first + count))
    picture = cv2.imread(str(tmp_path / "f.png"))[..., ::-1]
    assert render.number_in(picture) == first
    assert np.abs(picture.astype(int) - frames[0][1]).mean() < 6


def test_the_same_cut_has_the_same_bytes(tmp_path, render):
    source = film(tmp_path, render, rate=25, count=60)
    for name in ("x", "y"):
        write_continuation(source, 7, 40, Fraction(25), tmp_path / f"{name}.png",
                           tmp_path / f"{name}.mp4")  # fmt: skip
    assert (tmp_path / "x.mp4").read_bytes() == (tmp_path / "y.mp4").read_bytes()
    assert (tmp_path / "x.png").read_bytes() == (tmp_path / "y.png").read_bytes()


def test_odd_sizes_are_made_even(tmp_path, render):
    source = film(tmp_path, render, rate=25, count=12, size=(193, 97), pixels="yuv444p")
    write_continuation(source, 2, 10, Fraction(25), tmp_path / "f.png", tmp_path / "c.mp4")
    assert cv2.imread(str(tmp_path / "f.png")).shape[:2] == (97, 193)
    frames = [frame for _, frame in shown(tmp_path / "c.mp4")[1]]
    assert {frame.shape[:2] for frame in frames} == {(98, 194)} and len(frames) == 10


def test_a_folder_of_frames_is_cut_as_well(tmp_path, render):
    (tmp_path / "v").mkdir()
    for k in range(12):
        cv2.imwrite(str(tmp_path / "v" / f"{k:06d}.png"), render.picture(k)[..., ::-1])
    source = film_of(tmp_path, Media(MediaKind.FRAMES, "v"), Fraction(25))
    write_continuation(source, 1, 10, Fraction(25), tmp_path / "f.png", tmp_path / "c.mp4")
    assert [render.number_in(one) for _, one in shown(tmp_path / "c.mp4")[1]] == list(range(1, 11))


def test_what_is_not_there_is_not_cut(tmp_path, render):
    source = film(tmp_path, render, rate=25, count=60)
    files = (tmp_path / "f.png", tmp_path / "c.mp4")
    with pytest.raises(SourceBroken, match="ends before") as caught:
        write_continuation(source, 0, 61, Fraction(25), *files)
    assert (caught.value.expected, caught.value.found) == ("frames 0 to 60", "60 frames")
    with pytest.raises(UserError, match="another rate"):
        write_continuation(source, 0, 50, Fraction(24), *files)
    assert not any(one.exists() for one in files)


def test_a_gap_is_not_cut_through(tmp_path, render):
    times = [Fraction(k, 25) + (2 if k > 30 else 0) for k in range(60)]
    source = film(tmp_path, render, rate=25, count=60, times=times)
    files = (tmp_path / "f.png", tmp_path / "c.mp4")
    with pytest.raises(UserError, match="a gap at 3.24 s"):
        write_continuation(source, 10, 40, Fraction(25), *files)
    write_continuation(source, 31, 25, Fraction(25), *files)


def test_damaged_frames_are_not_shown_to_raters(tmp_path, render):
    source = film(tmp_path, render, rate=25, count=200)
    path = tmp_path / "a.mp4"
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 2500] = bytes(2500)
    path.write_bytes(data)
    source = film_of(tmp_path, Media(MediaKind.VIDEO, "a.mp4"))
    with pytest.raises(SourceBroken):
        write_continuation(source, 0, min(200, len(source.table.starts_us)), Fraction(25),
                           tmp_path / "f.png", tmp_path / "c.mp4")  # fmt: skip
    assert not any((tmp_path / one).exists() for one in ("f.png", "c.mp4"))

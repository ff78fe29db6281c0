"""Facts of a film: exact rate, length, size, count, whether the rate is constant."""

from __future__ import annotations

from fractions import Fraction

import av
import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.transforms.media.frames import frame_at
from surgqa.transforms.media.probe import probe


def write(path, rate: Fraction, count: int, times=None, rotate: int | None = None):
    with av.open(str(path), "w") as box:
        stream = box.add_stream("libx264", rate=rate, options={"bf": "0", "crf": "8"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        if times:
            stream.time_base = stream.codec_context.time_base = Fraction(1, 90_000)
        for index in range(count):
            picture = np.full((48, 64, 3), 90, np.uint8)
            picture[:12, :16] = (230, 20, 20)
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            if times:
                frame.pts, frame.time_base = int(times[index] * 90_000), Fraction(1, 90_000)
            box.mux(stream.encode(frame))
        box.mux(stream.encode(None))


@pytest.mark.parametrize("rate", [Fraction(25), Fraction(30_000, 1001), Fraction(60_000, 1001)])
@pytest.mark.parametrize("count", [False, True])
def test_rates_are_exact_fractions(tmp_path, rate, count):
    write(tmp_path / "v.mp4", rate, 60)
    facts = probe(tmp_path / "v.mp4", "v.mp4", count=count)
    assert facts.fps == rate
    assert (facts.frames, facts.width, facts.height) == (60, 64, 48)
    assert abs(facts.duration_us - 60 / rate * 1_000_000) < 100
    assert facts.constant_rate is (True if count else None)
    assert (facts.codec, facts.pixel_format, facts.rotation) == ("h264", "yuv420p", 0)


def test_a_rate_that_changes_is_noticed_and_the_start_kept(tmp_path):
    times = [5 + Fraction(t, 100) for t in (0, 4, 8, 60, 64)]
    write(tmp_path / "v.mp4", Fraction(25), 5, times)
    facts = probe(tmp_path / "v.mp4", "v.mp4", count=True)
    assert facts.constant_rate is False
    assert facts.start_us == 5_000_000


def test_matroska_says_no_count_until_it_is_counted(tmp_path):
    write(tmp_path / "v.mkv", Fraction(25), 30)
    assert probe(tmp_path / "v.mkv", "v.mkv").frames == 0
    assert probe(tmp_path / "v.mkv", "v.mkv", count=True).frames == 30


def test_a_film_cut_short_counts_what_is_left(tmp_path):
    write(tmp_path / "v.mkv", Fraction(25), 200)
    data = (tmp_path / "v.mkv").read_bytes()
    (tmp_path / "half.mkv").write_bytes(data[: len(data) // 2])
    whole = probe(tmp_path / "v.mkv", "v.mkv", count=True)
    half = probe(tmp_path / "half.mkv", "half.mkv", count=True)
    assert 0 < half.frames < whole.frames
    assert half.duration_us < whole.duration_us
    (tmp_path / "none.mkv").write_bytes(data[:700])
    with pytest.raises(SourceBroken):
        probe(tmp_path / "none.mkv", "none.mkv", count=True)


def test_a_phone_held_upright_is_turned(tmp_path):
    write(tmp_path / "v.mp4", Fraction(25), 5)
    data = (tmp_path / "v.mp4").read_bytes()
    # The track header's display matrix: identity replaced by a quarter turn.
    one, zero, minus = (v.to_bytes(4, "big", signed=True) for v in (65536, 0, -65536))
    last = (1 << 30).to_bytes(4, "big")
    upright = one + zero * 3 + one + zero * 3 + last
    turned = zero + one + zero + minus + zero * 4 + last
    at = data.index(upright, data.index(b"tkhd"))
    (tmp_path / "t.mp4").write_bytes(data[:at] + turned + data[at + len(upright) :])
    facts = probe(tmp_path / "t.mp4", "t.mp4")
    assert (facts.width, facts.height) == (48, 64)
    assert facts.rotation in (90, 270)
    picture = frame_at(tmp_path, {"kind": "video", "path": "t.mp4"}, 0)
    assert picture.shape == (64, 48, 3)
    # A quarter turn clockwise for display brings the top left corner to the top right.
    assert picture[4, -4, 0] > 180 > picture[4, 4, 0]

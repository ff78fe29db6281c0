"""Sound on the video's clock: late, with holes, in several tracks, damaged, or none."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.transforms.media.accounts import sound_problems
from surgqa.transforms.media.batches import SOUND_RATE
from surgqa.transforms.media.sound import SILENT_PEAK, SoundTrack

BEEP = 440
TICK = Fraction(1, 48_000)


def wave(seconds: float, rate: int, loud: float = 0.3, beeps: bool = True) -> np.ndarray:
    """A tone in the first half of every second, faint hiss in the other; float32 (N,)."""
    at = np.arange(int(seconds * rate)) / rate
    out = loud * np.sin(2 * np.pi * BEEP * at)
    if beeps:
        out = np.where(at % 1 < 0.5, out, 0.002 * np.sin(2 * np.pi * 900 * at))
    return np.clip(out, -1, 1).astype(np.float32)


def write(
    path: Path,
    tracks: list[tuple[np.ndarray, Fraction]],
    rate: int = 48_000,
    codec: str = "aac",
    layout: str = "mono",
    video_at: Fraction | None = Fraction(0),
    hole: tuple[int, int] | None = None,
    default: int | None = None,
) -> Path:
    """A film with sound tracks that start at given times.

    Args:
        hole: packets of the first track that are left out.
        default: the track to be marked so.
    """
    with av.open(str(path), "w") as box:
        video = None
        if video_at is not None:
            video = box.add_stream("libx264", rate=10, options={"preset": "ultrafast", "bf": "0"})
            video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
            video.time_base = video.codec_context.time_base = Fraction(1, 90_000)
        sounds = [box.add_stream(codec, rate=rate, layout=layout) for _ in tracks]
        for number, stream in enumerate(sounds):
            if default is not None:
                stream.disposition = (
                    av.stream.Disposition.default if number == default else
                    av.stream.Disposition(0)
                )  # fmt: skip
        packets = [p for number, (samples, start) in enumerate(tracks)
                   for p in _sound(sounds[number], samples, start, rate, layout,
                                   hole if number == 0 else None)]  # fmt: skip
        for index in range(30 if video is not None else 0):
            frame = av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="rgb24")
            frame.pts = int((video_at + Fraction(index, 10)) * 90_000)
            frame.time_base = Fraction(1, 90_000)
            packets += video.encode(frame)
        packets += video.encode(None) if video is not None else []
        for packet in sorted(packets, key=lambda p: (p.dts or 0) * p.time_base):
            box.mux(packet)
    return path


def _sound(stream, samples, start, rate, layout, hole):
    out = []
    step = stream.codec_context.frame_size or 1024
    for at in range(0, len(samples), step):
        part = samples[at : at + step]
        data = np.stack([part, part]) if layout == "stereo" else part[None]
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(data), "fltp", layout)
        frame.sample_rate, frame.time_base = rate, Fraction(1, rate)
        frame.pts = int(start * rate) + at
        if stream.codec_context.name == "pcm_s16le":
            whole = (data * 32_767).astype(np.int16)
            frame = av.AudioFrame.from_ndarray(whole.T.reshape(1, -1), "s16", layout)
            frame.sample_rate, frame.time_base = rate, Fraction(1, rate)
            frame.pts = int(start * rate) + at
        out += stream.encode(frame)
    out += stream.encode(None)
    return [p for n, p in enumerate(out) if hole is None or not hole[0] <= n < hole[1]]


def whole(path: Path) -> tuple[int, np.ndarray, dict]:
    track = SoundTrack(path, path.name)
    pieces = list(track.pieces(10**9))
    assert len(pieces) == track.facts["pieces"] <= 1
    return (pieces[0].start_us, pieces[0].samples, track.facts) if pieces else (0, [], track.facts)


def beep_starts(start_us: int, samples: np.ndarray) -> list[float]:
    """Seconds at which tones set in."""
    window = SOUND_RATE // 100
    level = np.abs(samples[: len(samples) // window * window].astype(int)).reshape(-1, window)
    loud = level.max(axis=1) > 3000
    begins = np.flatnonzero(loud & ~np.concatenate([[False], loud[:-1]]))
    return [start_us / 1e6 + b / 100 for b in begins]


def facts_of(path, name):
    """What is known of the sound once all of it was read."""
    track = SoundTrack(path, name)
    assert all(len(piece.samples) for piece in track.pieces())
    return track.facts


@pytest.mark.parametrize(
    ("name", "codec", "rate", "layout"),
    [("a.mp4", "aac", 48_000, "mono"), ("b.mkv", "aac", 44_100, "stereo"),
     ("c.mkv", "pcm_s16le", 16_000, "mono"), ("d.mov", "pcm_s16le", 48_000, "stereo"),
     ("e.ts", "aac", 48_000, "mono")],
)  # fmt: skip
def test_tones_are_heard_when_they_are_played(tmp_path, name, codec, rate, layout):
    path = write(tmp_path / name, [(wave(4, rate), Fraction(0))], rate, codec, layout)
    start, samples, facts = whole(path)
    assert samples.dtype == np.int16 and abs(start) <= 50_000
    assert len(samples) == pytest.approx(4 * SOUND_RATE, rel=0.03)
    assert beep_starts(start, samples) == pytest.approx([0, 1, 2, 3], abs=0.05)
    assert not facts["silent"] and facts["hole_count"] == 0 and facts["why"] == ""
    assert facts["clipped_share"] == 0 and facts["bad_packets"] == 0


def test_samples_of_a_plain_recording_are_kept_to_the_bit(tmp_path):
    samples = wave(2, SOUND_RATE)
    path = write(tmp_path / "a.mkv", [(samples, Fraction(0))], SOUND_RATE, "pcm_s16le")
    start, heard, _ = whole(path)
    assert start == 0 and np.array_equal(heard, (samples * 32_767).astype(np.int16))


@pytest.mark.parametrize("name", ["a.mkv", "a.mp4", "a.ts"])
def test_sound_that_starts_late_stays_late(tmp_path, name):
    path = write(tmp_path / name, [(wave(3, 48_000), Fraction(344, 100))])
    start, samples, facts = whole(path)
    assert start == pytest.approx(3_440_000, abs=60_000) and facts["start_us"] == start
    assert beep_starts(start, samples) == pytest.approx([3.44, 4.44, 5.44], abs=0.05)


def test_sound_before_the_picture_has_negative_times(tmp_path):
    path = write(tmp_path / "a.mkv", [(wave(3, 48_000), Fraction(0))], video_at=Fraction(2))
    start, samples, _ = whole(path)
    assert start == pytest.approx(-2_000_000, abs=50_000)
    assert beep_starts(start, samples) == pytest.approx([-2, -1, 0], abs=0.05)


def test_a_hole_is_silence_and_is_told(tmp_path):
    path = write(tmp_path / "a.mkv", [(wave(12, 48_000), Fraction(0))], hole=(140, 375))
    start, samples, facts = whole(path)
    assert facts["hole_count"] == 1
    begin, end = facts["holes"][0]
    assert begin == pytest.approx(2_990_000, abs=60_000) and end - begin == pytest.approx(
        5_013_000, abs=60_000
    )  # noqa: E501
    inside = samples[(begin + 50_000 - start) * 16 // 1000 : (end - 50_000 - start) * 16 // 1000]
    assert not inside.any() and len(inside) > 4 * SOUND_RATE
    found = beep_starts(start, samples)
    assert [round(t) for t in found if t > 8.5] == [9, 10, 11]


def test_of_two_tracks_the_one_to_be_played_is_heard_unless_it_is_silent(tmp_path):
    tracks = [(wave(2, 48_000, 0.0, False), Fraction(0)), (wave(2, 48_000), Fraction(0))]
    path = write(tmp_path / "a.mkv", tracks, default=1)
    _, _, facts = whole(path)
    assert len(facts["tracks"]) == 2 and facts["chosen"] == 1 and not facts["silent"]
    path = write(tmp_path / "b.mkv", tracks, default=0)
    _, _, facts = whole(path)
    assert facts["chosen"] == 1 and not facts["silent"]
    (unused,) = sound_problems("b.mkv", facts)
    assert unused.count == 1 and unused.reason == "of 2 sound tracks only number 2 is transcribed"
    path = write(tmp_path / "c.mkv", [tracks[1], tracks[1]], default=1)
    assert whole(path)[2]["chosen"] == 1
    path = write(tmp_path / "d.mkv", [tracks[0], tracks[0]], default=1)
    assert whole(path)[2]["chosen"] == 1


def test_silent_and_clipped_sound_is_told(tmp_path):
    silent = whole(write(tmp_path / "a.mp4", [(np.zeros(96_000, np.float32), Fraction(0))]))[2]
    assert silent["silent"] and silent["peak"] <= SILENT_PEAK
    square = np.sign(wave(2, 16_000, 1.0, False)).astype(np.float32)
    path = write(tmp_path / "b.mkv", [(square, Fraction(0))], 16_000, "pcm_s16le")
    assert whole(path)[2]["clipped_share"] > 0.9


def test_no_sound_is_a_fact_and_no_error(tmp_path):
    path = write(tmp_path / "a.mp4", [])
    assert list(SoundTrack(path, "a.mp4").pieces()) == []
    facts = facts_of(path, "a.mp4")
    assert facts["chosen"] is None and facts["tracks"] == [] and facts["why"] == "no sound track"


def test_sound_without_pictures_can_be_heard(tmp_path):
    path = write(tmp_path / "a.mp4", [(wave(2, 48_000), Fraction(0))], video_at=None)
    start, samples, _ = whole(path)
    assert abs(start) <= 50_000 and len(samples) > 1.9 * SOUND_RATE


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
@pytest.mark.parametrize("name", ["a.mkv", "a.ts"])
def test_a_file_cut_short_gives_what_is_there(tmp_path, name, share):
    data = write(tmp_path / name, [(wave(3, 48_000), Fraction(0))]).read_bytes()
    cut = tmp_path / f"cut-{name}"
    cut.write_bytes(data[: int(len(data) * share)])
    start, samples, facts = whole(cut)
    assert 0 < len(samples) < 3.1 * SOUND_RATE * (share + 0.3)
    assert facts["end_us"] == pytest.approx(start + len(samples) * 62.5, abs=1)


def test_damage_is_counted_and_the_rest_stays_in_time(tmp_path):
    data = bytearray(write(tmp_path / "a.ts", [(wave(6, 48_000), Fraction(0))]).read_bytes())
    middle = len(data) // 3
    data[middle : middle + len(data) // 8] = bytes(len(data) // 8)
    (tmp_path / "b.ts").write_bytes(data)
    start, samples, facts = whole(tmp_path / "b.ts")
    assert facts["bad_packets"] + facts["hole_count"] > 0
    assert [t for t in beep_starts(start, samples) if t > 4] == pytest.approx([5], abs=0.06)


@pytest.mark.parametrize("data", [b"", b"junk" * 300])
def test_what_is_no_recording_is_an_error_in_words(tmp_path, data):
    (tmp_path / "a.mp4").write_bytes(data)
    with pytest.raises(SourceBroken):
        SoundTrack(tmp_path / "a.mp4", "a.mp4")
    with pytest.raises(SourceMissing):
        SoundTrack(tmp_path / "gone.mp4", "gone.mp4")


@pytest.mark.parametrize("longest_us", [700_000, 1_000_000, 2_345_678, 20_000_000])
def test_pieces_tile_the_sound_and_are_cut_where_it_is_quiet(tmp_path, longest_us):
    path = write(tmp_path / "a.mkv", [(wave(9, 48_000), Fraction(1, 3))], hole=(200, 260))
    start, samples, _ = whole(path)
    pieces = list(SoundTrack(path, "a.mkv").pieces(longest_us))
    assert np.array_equal(np.concatenate([p.samples for p in pieces]), samples)
    at = start
    for piece in pieces:
        assert piece.start_us == at and len(piece.samples) * 62.5 <= longest_us
        at += len(piece.samples) * 125 // 2
    if longest_us >= 2_000_000:  # shorter ones can be all tone
        for piece in pieces[1:]:
            place = (piece.start_us - start) * 16 // 1000
            assert np.abs(samples[place - 200 : place + 200].astype(int)).max() < 1000


def test_cuts_do_not_depend_on_what_comes_later(tmp_path):
    long, short = (
        [*SoundTrack(write(tmp_path / f"{seconds}.mkv", [(wave(seconds, 48_000), Fraction(0))],
                           codec="pcm_s16le"), "a.mkv").pieces(2_000_000)]
        for seconds in (9, 5)
    )  # fmt: skip
    for one, other in zip(long, short[:-1], strict=False):
        assert one.start_us == other.start_us and np.array_equal(one.samples, other.samples)


def test_real_sound_of_a_silent_theatre(real_dataset):
    path = real_dataset("rvimlab-endoscopy") / "data" / "endo.mp4"
    facts = facts_of(path, "endo.mp4")
    assert facts["silent"] and facts["end_us"] == pytest.approx(9_984_000, abs=30_000)

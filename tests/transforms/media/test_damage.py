"""Damaged files: what can be read is read, and the books say what could not be.

No picture that is called trusted may be another one's; nothing is short in silence; and
nothing takes long.
"""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.media import film_of
from surgqa.transforms.media.accounts import fault_problems

SLOWEST_S = 30
CUTS = (0.25, 0.6, 0.97)
NAMES = ("fast.mp4", "pieces.mp4", "clip.mkv", "clip.ts", "clip.avi", "clip.flv", "clip.webm")
DAMAGE = ("zeroed", "changed", "lost")
CHECKED = ("fast.mp4", "pieces.mp4", "clip.mkv", "clip.ts", "clip.flv")
"""H.264 in containers that say when a frame is shown: decoders find their errors."""


def cut(data: bytes, share: float) -> bytes:
    return data[: int(len(data) * share)]


def zeroed(data: bytes) -> bytes:
    middle, long = len(data) // 2, len(data) // 12
    return data[:middle] + bytes(long) + data[middle + long :]


def changed(data: bytes) -> bytes:
    """Every 3,001st byte behind the header inverted."""
    out = bytearray(data)
    for place in range(len(data) // 3, len(data), 3001):
        out[place] ^= 0xFF
    return bytes(out)


def lost(data: bytes) -> bytes:
    return data[: len(data) // 2] + data[len(data) // 2 + len(data) // 15 :]


def account(seen, rate: int) -> tuple[int, int, list[str]]:
    """Trusted samples, wrong ones among them, and everything that was said."""
    film, samples = seen.film, seen.samples
    starts = samples.times_us.tolist()
    trusted = [(n, t) for n, t in zip(seen.numbers, starts, strict=True) if n is not None]
    wrong = [(n, t) for n, t in trusted if n != round(t * rate / 1_000_000)]
    faults = np.array(seen.faults, dtype=np.uint8)
    rows = [*film.problems, *fault_problems(film.name, samples.times_us, faults)]
    assert sum(r.count for r in rows if "samples from" in r.reason) == np.count_nonzero(faults)
    assert all(row.stage == "observe" and row.where == film.name for row in rows)
    return len(trusted), len(wrong), [row.reason for row in rows]


@pytest.mark.parametrize("share", CUTS)
@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_was_cut_short(tmp_path, clips, look, render, name, share):
    path = tmp_path / name
    path.write_bytes(cut(clips(name).read_bytes(), share))
    began = time.perf_counter()
    trusted, wrong, told = account(look(path), render.rate)
    assert time.perf_counter() - began < SLOWEST_S
    # An AVI's last frames are dealt their times without those that should follow.
    assert wrong <= (2 if name == "clip.avi" else 0)
    assert trusted >= render.count * share * 0.6 - 2 * render.gop
    if trusted < render.count:
        assert any("reading stopped at" in reason for reason in told), told


def test_what_was_promised_is_named(tmp_path, clips, look):
    (tmp_path / "half.mkv").write_bytes(cut(clips("clip.mkv").read_bytes(), 0.5))
    film = look(tmp_path / "half.mkv").film
    reason = film.problems[0].reason
    assert "24.00 s promised" in reason and f"{len(film.table.ticks)} frames read" in reason
    assert film.table.stopped_us == film.table.end_us < film.table.promised_us == 24_000_000
    assert film.facts["stopped_us"] == film.table.end_us
    (tmp_path / "half.mp4").write_bytes(cut(clips("fast.mp4").read_bytes(), 0.5))
    film = look(tmp_path / "half.mp4").film
    assert film.table.promised == 240 and film.problems[0].count == 240 - len(film.table.ticks)


@pytest.mark.parametrize("harm", [zeroed, changed, lost], ids=lambda harm: harm.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_damaged_inside(tmp_path, clips, look, render, name, harm):
    path = tmp_path / name
    path.write_bytes(harm(clips(name).read_bytes()))
    began = time.perf_counter()
    try:
        trusted, wrong, told = account(look(path), render.rate)
    except SourceBroken as error:
        assert error.where == name and error.found
        trusted, wrong, told = 0, 0, [error.summary]
    assert time.perf_counter() - began < SLOWEST_S
    if name in CHECKED:
        # A container's own header of a frame has no check sum: its time may be another.
        assert wrong <= (1 if harm is changed else 0), told
    assert trusted < render.count and told or (trusted == render.count and name == "clip.webm")


def test_whole_clips_are_whole(clips, look, render):
    for name in (*NAMES, "end.mp4"):
        seen = look(clips(name))
        assert seen.numbers == list(range(render.count)), name
        assert seen.film.problems == (), name


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.mp4", b""),
        ("junk.mp4", b"junk" * 1000),
        ("text.txt", b"one line\n" * 500),
        ("zeros.mkv", bytes(100_000)),
        ("head.ts", b"\x47" + bytes(187)),
        ("list.mp4", b"#EXTM3U\n#EXTINF:5,\nhttp://example.invalid/a.ts\n#EXT-X-ENDLIST\n"),
    ],
)
def test_what_is_no_video_is_refused_in_words(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(SourceBroken) as error:
        film_of(tmp_path, Media(MediaKind.VIDEO, name))
    assert name in error.value.summary and error.value.found


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_an_index_that_was_cut_off_is_refused_with_what_to_do(tmp_path, clips, share):
    (tmp_path / "v.mp4").write_bytes(cut(clips("end.mp4").read_bytes(), share))
    with pytest.raises(SourceBroken, match="cannot be opened|not a video") as error:
        film_of(tmp_path, Media(MediaKind.VIDEO, "v.mp4"))
    assert "index" in error.value.fix


def test_a_missing_file_and_a_folder_in_its_place(tmp_path):
    (tmp_path / "folder.mp4").mkdir()
    for name in ("gone.mp4", "folder.mp4"):
        with pytest.raises(SourceMissing):
            film_of(tmp_path, Media(MediaKind.VIDEO, name))


def test_sound_alone_is_refused(tmp_path):
    with av.open(str(tmp_path / "a.mp4"), "w") as box:
        stream = box.add_stream("aac", rate=16_000, layout="mono")
        box.mux(stream.encode(_tone(16_000)))
        box.mux(stream.encode(None))
    with pytest.raises(SourceBroken, match="no video stream"):
        film_of(tmp_path, Media(MediaKind.VIDEO, "a.mp4"))


def _tone(count: int) -> av.AudioFrame:
    wave = (8000 * np.sin(np.arange(count) / 7)).astype(np.int16)[None]
    frame = av.AudioFrame.from_ndarray(wave, format="s16", layout="mono")
    frame.sample_rate = 16_000
    return frame


def test_a_recording_cut_out_of_another_begins_where_it_can_be_shown(tmp_path, clips, look):
    data = clips("clip.ts").read_bytes()
    (tmp_path / "v.ts").write_bytes(data[len(data) // 3 // 188 * 188 :])
    seen = look(tmp_path / "v.ts")
    assert seen.numbers[0] in (80, 82)
    assert seen.numbers == list(range(seen.numbers[0], 240)), "nothing wrong, nothing left out"
    assert seen.film.table.starts_us[0] == 0 and seen.film.table.unshown > 0
    assert "need what was cut away" in seen.film.problems[0].reason


def test_a_clock_that_jumps_stops_the_reading_and_says_so(tmp_path, render, look):
    times = [k / 10 for k in range(30)] + [40_000 + k / 10 for k in range(30)]
    exact = [Fraction(round(t * 10), 10) for t in times]
    render.write(tmp_path / "v.ts", 60, times=exact, options={"preset": "ultrafast", "bf": "0"})
    seen = look(tmp_path / "v.ts")
    assert seen.numbers == list(range(30))
    assert "the clock jumps by" in seen.film.problems[0].reason
    assert seen.film.table.end_us < 4_000_000


def test_a_picture_size_that_changes_is_not_trusted(tmp_path, render, look):
    one = render.write(tmp_path / "a.ts", 30, options={"preset": "ultrafast"})
    two = render.write(
        tmp_path / "b.ts", 30, size=(96, 48), first=30, options={"preset": "ultrafast"},
        times=[Fraction(30 + k, 10) for k in range(30)],
    )  # fmt: skip
    (tmp_path / "v.ts").write_bytes(one.read_bytes() + two.read_bytes())
    seen = look(tmp_path / "v.ts")
    # The decoder loses what it still held when the size changed.
    assert seen.numbers[:27] == list(range(27)) and set(seen.numbers[30:]) == {None}
    rows = fault_problems("v.ts", seen.samples.times_us, np.array(seen.faults, dtype=np.uint8))
    assert any("size of the first frame" in row.reason for row in rows)


def test_the_beginning_of_a_file_may_be_damaged(tmp_path, clips, look, render):
    data = bytearray(clips("fast.mp4").read_bytes())
    media = data.index(b"mdat") + 4
    data[media : media + 3000] = bytes(3000)
    (tmp_path / "v.mp4").write_bytes(data)
    trusted, wrong, told = account(look(tmp_path / "v.mp4"), render.rate)
    assert trusted > 180 and wrong == 0 and told, "time 0 stays where the first key frame is"


def test_hand_made_errors_can_be_pickled_and_shown(tmp_path):
    (tmp_path / "v.mp4").write_bytes(b"junk" * 100)
    with pytest.raises(UserError) as error:
        film_of(tmp_path, Media(MediaKind.VIDEO, "v.mp4"))
    assert Path(error.value.where).name == "v.mp4" and len(error.value.lines()) >= 3

"""Frames by folder and by film: the picture on screen at a time, or an error that teaches."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.media.film import film_of
from surgqa.transforms.media.frames import frame_at, frame_path
from surgqa.transforms.media.probe import probe

SIZE = (64, 96)
STEP = 20


def numbered(index: int) -> np.ndarray:
    """Two grey fields tell tens and units, a red corner tells colours and turns."""
    picture = np.full((*SIZE, 3), 20 + STEP * (index // 10), np.uint8)
    picture[:, SIZE[1] // 2 :] = 20 + STEP * (index % 10)
    picture[:16, :24] = (220, 30, 30)
    return picture


def write_video(path: Path, times: list[Fraction], start: Fraction = Fraction(0), gop: int = 10):
    """H.264 with the given presentation times in seconds."""
    with av.open(str(path), "w") as box:
        stream = box.add_stream("libx264", rate=25, options={"g": str(gop), "bf": "0", "crf": "4"})
        stream.width, stream.height, stream.pix_fmt = SIZE[1], SIZE[0], "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, 90_000)
        for index, time in enumerate(times):
            frame = av.VideoFrame.from_ndarray(numbered(index), format="rgb24")
            frame.pts, frame.time_base = int((time + start) * 90_000), Fraction(1, 90_000)
            box.mux(stream.encode(frame))
        box.mux(stream.encode(None))


def number_of(picture: np.ndarray) -> int:
    tens, units = picture[30:, 8:40], picture[30:, 56:]
    return 10 * _level(tens) + _level(units)


def _level(field: np.ndarray) -> int:
    return round((float(field.mean()) - 20) / STEP)


def film(path: Path) -> Media:
    return Media(MediaKind.VIDEO, path.name)


def folder(root: Path, suffix: str = ".png", count: int = 3) -> dict:
    (root / "videos" / "VID01").mkdir(parents=True)
    for index in range(count):
        data = cv2.imencode(suffix, numbered(index)[..., ::-1])[1].tobytes()
        (root / "videos" / "VID01" / f"{index:06d}{suffix}").write_bytes(data)
    return {"kind": "frames", "path": "videos/VID01", "fps_num": 1, "fps_den": 1}


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".jpeg"])
def test_a_folder_gives_the_frame_of_the_second_in_rgb(tmp_path, suffix):
    media = folder(tmp_path, suffix)
    picture = frame_at(tmp_path, media, 2_000_000)
    assert picture.shape == (*SIZE, 3) and picture.dtype == np.uint8
    assert number_of(picture) == 2
    assert picture[4, 4, 0] > 180 > 80 > picture[4, 4, 2], "red first"


@pytest.mark.parametrize(
    ("time_us", "rate", "number"),
    [
        (1_999_999, Fraction(1), 1),
        (2_000_000, Fraction(1), 2),
        (33_367, Fraction(30_000, 1001), 1),  # 1001/30000 s rounds up to 33367
        (33_366, Fraction(30_000, 1001), 0),
        (66_733, Fraction(30_000, 1001), 2),  # 66733.33 rounds down and is still frame 2
    ],
)
def test_the_frame_shown_is_the_last_one_that_has_started(tmp_path, time_us, rate, number):
    folder(tmp_path)
    path = frame_path(tmp_path, Media(MediaKind.FRAMES, "videos/VID01"), time_us, rate)
    assert path.name == f"{number:06d}.png"


def test_a_missing_frame_names_what_is_there(tmp_path):
    media = folder(tmp_path)
    with pytest.raises(SourceMissing) as error:
        frame_at(tmp_path, media, 7_000_000)
    assert error.value.summary == "videos/VID01 has no frame at 7.00 s"
    assert error.value.found == "3 frames, 000000.png to 000002.png"
    with pytest.raises(SourceMissing, match="VID02 is missing"):
        frame_at(tmp_path, media | {"path": "videos/VID02"}, 0)


def test_a_broken_picture_and_absent_pictures_are_told_apart(tmp_path):
    media = folder(tmp_path)
    (tmp_path / "videos/VID01/000001.png").write_bytes(b"not a picture")
    with pytest.raises(SourceBroken) as error:
        frame_at(tmp_path, media, 1_000_000)
    assert error.value.where == "videos/VID01/000001.png"
    with pytest.raises(SourceMissing, match="no pictures"):
        frame_at(tmp_path, Media(MediaKind.ABSENT), 0)
    with pytest.raises(UserError, match="rate"):
        frame_at(tmp_path, Media(MediaKind.FRAMES, "videos/VID01"), 0)


def test_a_still_is_read_at_any_time(tmp_path):
    (tmp_path / "one.png").write_bytes(cv2.imencode(".png", numbered(5)[..., ::-1])[1].tobytes())
    assert number_of(frame_at(tmp_path, Media(MediaKind.IMAGE, "one.png"), 123)) == 5


def test_a_folder_with_spaces_and_foreign_letters(tmp_path):
    media = folder(tmp_path / "Ärzte und Öl")
    assert number_of(frame_at(tmp_path / "Ärzte und Öl", media, 0)) == 0


@pytest.mark.parametrize("start", [Fraction(0), Fraction(5)])
def test_uneven_presentation_times_are_followed_exactly(tmp_path, start):
    times = [Fraction(t, 100) for t in (0, 4, 8, 60, 64, 100, 250, 254, 258, 400)]
    write_video(tmp_path / "v.mp4", times, start)
    media = film(tmp_path / "v.mp4")
    for index, time in enumerate(times):
        assert number_of(frame_at(tmp_path, media, int(time * 1_000_000))) == index
    assert number_of(frame_at(tmp_path, media, 599_999)) == 2
    assert number_of(frame_at(tmp_path, media, 2_499_999)) == 5


def test_single_looks_across_a_seek(tmp_path):
    times = [Fraction(k) for k in range(50)]
    write_video(tmp_path / "v.mp4", times)
    media = film(tmp_path / "v.mp4")
    wanted = [0, 3_000_000, 3_500_000, 31_000_000, 49_000_000]
    passed = {t: number_of(frame_at(tmp_path, media, t)) for t in wanted}
    assert passed == {0: 0, 3_000_000: 3, 3_500_000: 3, 31_000_000: 31, 49_000_000: 49}


def test_beyond_the_end_is_an_error_that_says_where_the_end_is(tmp_path):
    write_video(tmp_path / "v.mp4", [Fraction(k, 25) for k in range(25)])
    with pytest.raises(SourceMissing, match=r"ends at 1\.00 s"):
        frame_at(tmp_path, film(tmp_path / "v.mp4"), 1_000_000)
    assert number_of(frame_at(tmp_path, film(tmp_path / "v.mp4"), 999_999)) == 24


def test_damage_gives_no_wrong_picture(tmp_path):
    times = [Fraction(k, 25) for k in range(100)]
    write_video(tmp_path / "v.mkv", times, gop=25)
    data = bytearray((tmp_path / "v.mkv").read_bytes())
    middle = len(data) // 2
    data[middle : middle + 400] = bytes(400)
    (tmp_path / "bad.mkv").write_bytes(data)
    right = broken = 0
    for index in range(100):
        try:
            picture = frame_at(tmp_path, film(tmp_path / "bad.mkv"), index * 40_000)
        except (SourceBroken, SourceMissing):
            broken += 1
            continue
        assert number_of(picture) == index
        right += 1
    assert right >= 25 and broken >= 1


@pytest.mark.parametrize("count", [5, 11])
def test_a_time_that_an_index_contradicts_shows_no_picture(tmp_path, count):
    write_video(tmp_path / "v.mp4", [Fraction(k, 25) for k in range(20)])
    data = bytearray((tmp_path / "v.mp4").read_bytes())
    step = data.index(b"stts") + 4 + 8 + 4
    assert int.from_bytes(data[step : step + 4], "big") == 3600
    data[step : step + 4] = (3600 * count).to_bytes(4, "big")
    (tmp_path / "v.mp4").write_bytes(data)
    with pytest.raises(SourceBroken, match="damaged at") as error:
        frame_at(tmp_path, film(tmp_path / "v.mp4"), 400_000)
    assert "another time" in error.value.found


@pytest.mark.parametrize("data", [b"", b"junk" * 100])
def test_what_is_no_video_says_so(tmp_path, data):
    (tmp_path / "v.mp4").write_bytes(data)
    with pytest.raises(SourceBroken, match="cannot|not a video"):
        frame_at(tmp_path, film(tmp_path / "v.mp4"), 0)
    with pytest.raises(SourceMissing, match=r"gone\.mp4"):
        frame_at(tmp_path, Media(MediaKind.VIDEO, "gone.mp4"), 0)


def test_sound_without_pictures_is_named(tmp_path):
    with av.open(str(tmp_path / "a.mp4"), "w") as box:
        stream = box.add_stream("aac", rate=8000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
        frame.sample_rate = 8000
        box.mux(stream.encode(frame))
        box.mux(stream.encode(None))
    with pytest.raises(SourceBroken, match="no video stream") as error:
        probe(tmp_path / "a.mp4", "a.mp4")
    assert error.value.found == "audio"


@pytest.mark.parametrize("name", ["{:05d}", "{:09d}", "{}", "frame{:03d}", "Video1_frame{:06d}"])
def test_numbers_are_found_however_they_are_written(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    for number in (0, 7, 12):
        picture = np.full((4, 6, 3), number, np.uint8)
        cv2.imwrite(str(folder / f"{name.format(number)}.png"), picture)
    (folder / "notes.txt").write_text("no picture")
    media = Media(MediaKind.FRAMES, "f")
    film = film_of(tmp_path, media, Fraction(1))
    assert film.table.starts_us.tolist() == [0, 7_000_000, 12_000_000]
    for number in (0, 7, 12):
        at = frame_at(tmp_path, media, number * 1_000_000, Fraction(1))
        assert at.max() == number


def test_two_series_in_one_folder_are_no_series(tmp_path: Path) -> None:
    for name in ("left_000.png", "right_000.png"):
        cv2.imwrite(str(tmp_path / name), np.zeros((4, 6, 3), np.uint8))
    with pytest.raises(SourceMissing, match="no numbered pictures"):
        film_of(tmp_path, Media(MediaKind.FRAMES, "."), Fraction(1))

"""Pictures of jobs: the right ones, none after the end, made smaller and thinned."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import av
import cv2
import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.inference.images import (
    FrameImages,
    FrameRequest,
    chat_messages,
    leaving,
    program_line,
)
from surgqa.transforms.inference.jobs import jobs_of
from surgqa.transforms.inference.prompts import load_prompt
from surgqa.transforms.media.cuts import jpeg
from tests.transforms.inference.conftest import row

S = 1_000_000
STEP = 8
"""Grey levels from one picture to the next: enough to survive JPEG and H.264."""


def grey(shade: int, width: int = 64, height: int = 48) -> np.ndarray:
    return np.full((height, width, 3), shade, dtype=np.uint8)


def shades(shots) -> list[int]:
    """Number of each picture, told by how bright it is."""
    pictures = [cv2.imdecode(np.frombuffer(s.jpeg, np.uint8), cv2.IMREAD_COLOR) for s in shots]
    return [round(float(p.mean()) / STEP) for p in pictures]


def job(start_s: float, end_s: float, kind: str, path: str, every_us: int = 2 * S, **media):
    one = row(start_us=round(start_s * S), end_us=round(end_s * S), query_us=0)
    one["media"] = {"path": path, "kind": kind, "fps_num": 1, "fps_den": 1} | media
    (out,) = jobs_of(one, load_prompt(), every_us, "time", S)
    return out


@pytest.fixture
def folder(tmp_path):
    """Thirty pictures, one a second, with a hole from 10 to 14."""
    (tmp_path / "frames").mkdir()
    for number in [*range(10), *range(15, 30)]:
        path = tmp_path / "frames" / f"{number:06d}.png"
        cv2.imwrite(str(path), grey(number * STEP))
    return tmp_path


@pytest.fixture
def film(tmp_path):
    """Ten seconds at 3 pictures a second, each second brighter than the one before."""
    with av.open(str(tmp_path / "v.mp4"), "w") as out:
        stream = out.add_stream("libx264", rate=Fraction(3), options={"crf": "10"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(30):
            frame = av.VideoFrame.from_ndarray(grey(16 + (number // 3) * 3 * STEP), "rgb24")
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return tmp_path


def test_pictures_of_a_folder_at_their_times(folder):
    shots = FrameImages({"demochole": folder}).of(job(2, 7, "frames", "frames"))
    assert shades(shots) == [2, 4, 6, 7]
    assert [s.caption for s in shots] == [f"Picture at {t}.00 s:" for t in (2, 4, 6, 7)]


def test_folders_may_begin_at_another_number(folder):
    (folder / "late").mkdir()
    for number in range(5):
        cv2.imwrite(str(folder / "late" / f"{number + 1:06d}.png"), grey(number * STEP))
    shots = FrameImages({"demochole": folder}).of(job(0, 3, "frames", "late", first=1))
    assert shades(shots) == [0, 2, 3]


def test_a_hole_shows_the_last_before_it_but_nothing_from_before_the_stretch(folder):
    pictures = FrameImages({"demochole": folder})
    assert shades(pictures.of(job(8, 14, "frames", "frames"))) == [8, 9]
    assert shades(pictures.of(job(12, 17, "frames", "frames"))) == [16, 17]
    with pytest.raises(SourceBroken, match="has no frame that can be decoded"):
        pictures.of(job(11, 14, "frames", "frames"))


def test_the_end_of_a_recording_shows_its_last_picture(folder, film):
    assert shades(FrameImages({"demochole": folder}).of(job(26, 30, "frames", "frames"))) == [
        26, 28, 29,
    ]  # fmt: skip
    last = FrameImages({"demochole": film}).of(job(8, 10, "video", "v.mp4"))
    assert shades(last) == [2 + 24, 2 + 27]


@pytest.mark.parametrize(("start", "end"), [(0, 5), (3, 8), (2.5, 2.9), (0, 0)])
def test_pictures_of_a_film_are_on_screen_at_their_times(film, start, end):
    one = job(start, end, "video", "v.mp4")
    shots = FrameImages({"demochole": film}).of(one)
    assert shades(shots) == [2 + 3 * (s.time_us // S) for s in shots]
    assert all(round(start * S) <= s.time_us <= round(end * S) for s in shots)
    assert shots[-1].time_us == round(end * S) or len(shots) == 1


def test_nothing_after_the_end_is_ever_cut(folder, film):
    """The pictures are the same when all that comes later is gone."""
    for number in range(8, 30):
        (folder / "frames" / f"{number:06d}.png").unlink(missing_ok=True)
    assert shades(FrameImages({"demochole": folder}).of(job(2, 7, "frames", "frames"))) == [
        2,
        4,
        6,
        7,
    ]


def test_stills(tmp_path):
    cv2.imwrite(str(tmp_path / "a.png"), grey(5 * STEP))
    shots = FrameImages({"demochole": tmp_path}).of(job(0, 1, "image", "a.png"))
    assert shades(shots) == [5] and shots[0].caption is None


def test_thinned_and_made_smaller(folder):
    pictures = FrameImages({"demochole": folder}, longer_side=32, most=3)
    shots = pictures.of(job(0, 9, "frames", "frames"))
    assert shades(shots) == [0, 6, 9]  # of 0, 2, 4, 6, 8 and 9
    assert cv2.imdecode(np.frombuffer(shots[0].jpeg, np.uint8), 1).shape == (24, 32, 3)


def test_colours_stay_what_they_are():
    red = np.zeros((32, 32, 3), np.uint8)
    red[..., 0] = 200
    blue, _, back = cv2.imdecode(np.frombuffer(jpeg(red), np.uint8), 1)[16, 16]
    assert back > 180 and blue < 30


def test_a_damaged_picture_is_left_out(folder):
    (folder / "frames" / "000004.png").write_bytes(b"torn")
    assert shades(FrameImages({"demochole": folder}).of(job(2, 7, "frames", "frames"))) == [2, 6, 7]


def test_what_is_missing_is_told_before_anything_is_asked(folder):
    there, gone = (
        ("demochole", name, Media(MediaKind.FRAMES, name)) for name in ("frames", "gone")
    )
    FrameImages({"demochole": folder}).check([there])
    with pytest.raises(SourceMissing, match="images of 1 of 2 videos") as caught:
        FrameImages({"demochole": folder}).check([there, gone])
    assert "demochole/gone" in caught.value.found and "--without-images" in caught.value.fix
    with pytest.raises(UserError, match="the folder of demochole is not named") as lacking:
        FrameImages({}).check([there])
    assert lacking.value.expected == "--root demochole=DIR"
    with pytest.raises(SourceMissing, match="1 of 1"):
        FrameImages({}).check([("demochole", "v1", Media(MediaKind.ABSENT))])


def test_messages_hold_captions_pictures_and_the_question_last(folder):
    one = job(2, 4, "frames", "frames")
    system, user = chat_messages(one, FrameImages({"demochole": folder}).of(one))
    assert system == {"role": "system", "content": one.system}
    assert [part["type"] for part in user["content"]] == ["text", "image_url"] * 2 + ["text"]
    assert user["content"][1]["image_url"]["url"].startswith("data:image/jpeg;base64,/9j/")
    assert user["content"][-1]["text"] == one.user


def test_messages_without_pictures_say_so():
    one = job(2, 4, "frames", "frames")
    _, user = chat_messages(one, None)
    assert user["content"] == f"{one.no_pictures}\n\n{one.user}"
    assert [m["role"] for m in chat_messages(replace(one, system=""), None)] == ["user"]


def test_a_program_is_given_no_name_of_the_source(folder, tmp_path):
    one = job(2, 4, "frames", "frames")
    shots = FrameImages({"demochole": folder}).of(one)
    line = program_line(one, shots, None)
    assert set(line) == {"job_id", "system", "user", "images"}
    assert [i["caption"] for i in line["images"]] == ["Picture at 2.00 s:", "Picture at 4.00 s:"]
    (tmp_path / "cut").mkdir()
    paths = [i["path"] for i in program_line(one, shots, tmp_path / "cut")["images"]]
    assert [cv2.imread(path) is not None for path in paths] == [True, True]
    assert program_line(one, None, None)["images"] == []


def test_what_a_run_would_send_is_added_up():
    jobs = [SimpleNamespace(system="s", user=f"{name} \u00b5", no_pictures="none", dataset="d",
                            media={"path": name}) for name in ("b", "a", "lost", "a")]  # fmt: skip

    def shots(job: SimpleNamespace) -> list[FrameRequest]:
        if job.media["path"] == "lost":
            raise SourceMissing("no film", fix="-")
        return [FrameRequest(0, None, data) for data in (b"12", b"", b"345")]

    found = leaving(jobs, shots).to_dict()
    assert [found[name] for name in ("jobs", "text_bytes", "failing", "picture_bytes")] == [
        3, 3 * 5, 1, 15
    ]  # fmt: skip
    assert [tuple(one.values()) for one in found["recordings"]] == [
        ("d", "a", 2, 4, 10), ("d", "b", 1, 2, 5)
    ]  # fmt: skip
    alone = leaving(jobs, None).to_dict()
    assert (alone["jobs"], alone["failing"], alone["recordings"]) == (4, 0, [])
    assert alone["text_bytes"] == 4 * (1 + 4 + 4) + 3

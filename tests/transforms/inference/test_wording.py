"""Benchmarks that bring their own texts, and the one picture that goes with them."""

from __future__ import annotations

from fractions import Fraction

import av
import cv2
import numpy as np
import pytest

from surgqa.transforms.inference.images import FrameImages, chat_messages
from surgqa.transforms.inference.jobs import jobs_of
from surgqa.transforms.inference.prompts import Texts, Wording, load_prompt
from tests.transforms.inference.conftest import row

S = 1_000_000


def job(texts: Texts | None = None, at_s: float = 5, **more):
    at = round(at_s * S)
    one = row(start_us=at, end_us=at, query_us=at, **more)
    (made,) = jobs_of(one, load_prompt(), 2 * S, "time", S, wording=Wording(texts=lambda _: texts))
    return made


def test_own_texts_stand_in_the_place_of_the_prompt_s_and_there_is_no_caption() -> None:
    plain, own = job(), job(Texts("who you are", "what comes"))
    assert (own.system, own.user) == ("who you are", "what comes")
    assert own.frames == [{"time_us": 5 * S, "caption": None}] and plain.frames[0]["caption"]
    assert own.no_pictures == plain.no_pictures and own.job_id != plain.job_id


def test_without_a_system_part_there_is_no_such_message() -> None:
    assert [one["role"] for one in chat_messages(job(Texts("", "what comes")), None)] == ["user"]


@pytest.fixture
def recordings(tmp_path):
    """A film at 3 pictures a second and a folder of one a second with a hole, large pictures."""
    with av.open(str(tmp_path / "v.mp4"), "w") as out:
        stream = out.add_stream("libx264", rate=Fraction(3), options={"crf": "1"})
        stream.width, stream.height, stream.pix_fmt = 960, 64, "yuv420p"
        for number in range(30):
            shade = np.full((64, 960, 3), 20 + 6 * number, dtype=np.uint8)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(shade, "rgb24")))
        out.mux(stream.encode())
    (tmp_path / "frames").mkdir()
    for number in (0, 1, 2, 5):
        shade = np.zeros((48, 1000, 3), dtype=np.uint8)
        shade[:, :, 2] = 40 * number  # red, as OpenCV writes blue first
        cv2.imwrite(str(tmp_path / "frames" / f"{number:06d}.png"), shade)
    return FrameImages({"demochole": tmp_path})


def test_a_film_s_picture_at_an_instant_in_full_size(recordings) -> None:
    for at_s, number in ((0, 0), (2, 6), (2.4, 7), (9.9, 29)):
        one = job(at_s=at_s, media={"path": "v.mp4", "kind": "video", "fps_num": 3, "fps_den": 1})
        picture = recordings.picture(one)
        assert picture.shape == (64, 960, 3)
        assert abs(float(picture.mean()) - (20 + 6 * number)) < 3


def test_a_folder_s_picture_and_none_in_a_hole(recordings) -> None:
    def at(second: float):
        media = {"path": "frames", "kind": "frames", "fps_num": 1, "fps_den": 1}
        return recordings.picture(job(at_s=second, media=media))

    assert (
        at(2).shape == (48, 1000, 3) and (at(2)[:, :, 0] == 80).all() and not at(2)[:, :, 1:].any()
    )
    assert at(3) is None and at(4) is None
    assert (at(5)[:, :, 0] == 200).all()

"""Files of pictures are found by name, and their sizes read from headers."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import MediaKind
from surgqa.transforms.media.found import frames_media, image_size
from surgqa.transforms.samples.pictures import jpeg, picture


def test_the_size_of_a_jpeg_stands_behind_other_segments(tmp_path: Path) -> None:
    whole = jpeg(picture(1, [], []))
    thumbnail = b"\xff\xe1" + (60_002).to_bytes(2, "big") + b"\xff\xc0" * 30_000
    path = tmp_path / "a.jpg"
    tables = b"\xff\xc4\x00\x14" + bytes(range(18))
    path.write_bytes(whole[:2] + thumbnail + b"\xff" + tables + whole[2:])
    assert image_size(path, "a") == (64, 48)
    big = cv2.imencode(".jpg", np.zeros((33, 70, 3), dtype=np.uint8))[1].tobytes()
    path.write_bytes(big)
    assert image_size(path, "a") == (70, 33)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\x89PNG\r\n\x1a\n", id="png-cut"),
        pytest.param(b"\xff\xd8\xff\xe0\x00\x10", id="jpeg-cut"),
        pytest.param(b"\xff\xd8\xff\xd9", id="jpeg-without-a-picture"),
        pytest.param(b"\xff\xd8\xff\xe0\x00\x00" + b"\0" * 50, id="jpeg-segment-of-no-length"),
        pytest.param(b"/annex/objects/MD5-abc\n" * 3, id="a-pointer-file"),
        pytest.param(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0" * 8, id="png-of-no-size"),
    ],
)
def test_a_file_that_is_no_picture_is_named(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "frames").mkdir()
    (tmp_path / "frames" / "000003.png").write_bytes(data)
    with pytest.raises(SourceBroken) as error:
        frames_media(tmp_path, "frames", [3])
    assert error.value.where == "frames/000003.png"


def test_media_need_neither_all_frames_nor_the_first(tmp_path: Path) -> None:
    assert frames_media(tmp_path, "frames", [0]).kind is MediaKind.ABSENT
    folder = tmp_path / "frames"
    folder.mkdir()
    (folder / "notes.txt").write_text("no picture")
    (folder / "._000001.png").write_bytes(b"no picture either")
    assert frames_media(tmp_path, "frames", [0]).kind is MediaKind.ABSENT
    (folder / "000007.jpg").write_bytes(jpeg(picture(7, [], [])))
    media = frames_media(tmp_path, "frames", [0])
    assert (media.kind, media.path, media.width, media.height) == (
        MediaKind.FRAMES, "frames", 64, 48,
    )  # fmt: skip

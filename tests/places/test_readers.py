"""A dataset in remote storage reads as it does from a local folder, at few requests a video."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path
from urllib.parse import unquote

import av
import cv2
import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms import registry
from surgqa.transforms.media.found import frames_media
from surgqa.transforms.media.frames import frame_at
from surgqa.transforms.media.probe import probe
from surgqa.transforms.places import RemotePath, copy_tree

SIZE = (48, 64)
USUAL = ("cholect50", "observed", "psi_ava", "tables")
"""Readers of several kinds of file that are tried on a bucket by day; all are by night."""


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """Two seconds of H.264 that grow brighter."""
    path = tmp_path / "film.mp4"
    with av.open(str(path), "w") as box:
        stream = box.add_stream("libx264", rate=25, options={"g": "10", "crf": "4"})
        stream.width, stream.height, stream.pix_fmt = SIZE[1], SIZE[0], "yuv420p"
        for index in range(50):
            picture = np.full((*SIZE, 3), 20 + 4 * index, np.uint8)
            box.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        box.mux(stream.encode(None))
    return path


def up(local: Path, remote: RemotePath) -> RemotePath:
    copy_tree(local, remote)
    return remote


some_by_day = pytest.mark.parametrize("dataset", [
    name if name in USUAL else pytest.param(name, marks=pytest.mark.nightly)
    for name in registry.datasets()
])  # fmt: skip


@some_by_day
def test_a_remote_dataset_gives_the_same_evidence(dataset, tmp_path, remote, asked):
    registry.load_sample(dataset)(tmp_path)
    make = registry.load_reader(dataset)
    here, there = make(tmp_path, True), make(str(up(tmp_path, remote)), True)
    assert there.root == remote
    there = pickle.loads(pickle.dumps(there))
    assert there.videos() == here.videos()
    assert there.excluded() == here.excluded() and there.missing() == here.missing()
    for video in here.videos():
        asked.clear()
        evidence = there.read(video)
        assert evidence == here.read(video)
        # Looking for a file in several places is two requests a place.
        assert len(asked) <= 3 * len(evidence.video.sources) + 24, "\n".join(asked)


@some_by_day
def test_planning_lists_folders_and_opens_no_file_of_one_video(dataset, tmp_path, remote, asked):
    registry.load_sample(dataset)(tmp_path)
    here = registry.load_reader(dataset)(tmp_path)
    truth = [here.read(video) for video in here.videos()]
    reader = registry.load_reader(dataset)(up(tmp_path, remote))
    asked.clear()
    assert reader.videos()
    paths = [{source.path for source in evidence.video.sources} for evidence in truth]
    own = set.union(*paths) - set.intersection(*paths)
    opened = [unquote(url) for url in asked if "list-type=2" not in url and url[:3] == "GET"]
    assert not [url for url in opened if any(url.endswith("/" + path) for path in own)]
    assert len(asked) <= 60, "\n".join(asked)


@pytest.mark.parametrize("dataset", registry.datasets())
def test_an_empty_remote_root_says_what_is_missing(dataset, remote):
    make = registry.load_reader(dataset)
    with pytest.raises(SourceMissing, match="is missing") as caught:
        make(remote).videos()
    assert caught.value.found == f"{remote} is not a folder"
    (remote / "else" / "x").write_bytes(b"")
    with pytest.raises(SourceMissing) as caught:
        make(remote).videos()
    assert caught.value.found == f"{remote} holds else"


def test_a_wrong_root_is_told_without_listing_all_that_lies_below(remote, asked):
    for number in range(5):
        (remote / "else" / str(number)).write_bytes(b"")
    asked.clear()
    with pytest.raises(SourceMissing):
        registry.load_reader("cholect50")(remote).videos()
    assert all("delimiter=%2F" in url or "max-keys=1&" in url + "&" for url in asked)


def test_the_size_of_a_videos_pictures_takes_three_requests(remote, asked):
    picture = cv2.imencode(".png", np.zeros((*SIZE, 3), np.uint8))[1].tobytes()
    for number in (7, 8, 9):
        (remote / "videos/VID01" / f"{number:06d}.png").write_bytes(picture)
    asked.clear()
    media = frames_media(remote, "videos/VID01", [7])
    assert media == Media(MediaKind.FRAMES, "videos/VID01", SIZE[1], SIZE[0])
    assert [url.split()[0] for url in asked] == ["GET", "HEAD", "GET"]
    assert unquote(asked[1]).endswith("videos/VID01/000007.png")
    asked.clear()
    assert frames_media(remote, "videos/VID02", [7]) == Media(MediaKind.ABSENT)
    assert len(asked) == 1
    (remote / "videos/VID03/000001.png").write_bytes(b"no picture")
    with pytest.raises(SourceBroken, match="not a picture"):
        frames_media(remote, "videos/VID03", [7])


def test_a_remote_picture_is_the_local_one(tmp_path, remote):
    frames = tmp_path / "videos" / "VID01"
    frames.mkdir(parents=True)
    picture = np.arange(SIZE[0] * SIZE[1] * 3, dtype=np.uint32).reshape(*SIZE, 3).astype(np.uint8)
    (frames / "000002.png").write_bytes(cv2.imencode(".png", picture)[1].tobytes())
    media = {"kind": "frames", "path": "videos/VID01", "fps_num": 1, "fps_den": 1}
    up(tmp_path, remote)
    assert np.array_equal(frame_at(remote, media, 2_000_000), frame_at(tmp_path, media, 2_000_000))
    with pytest.raises(SourceMissing) as caught:
        frame_at(remote, media, 9_000_000)
    assert caught.value.found == "1 frames, 000002.png to 000002.png"
    still = Media(MediaKind.IMAGE, "videos/VID01/000002.png")
    assert np.array_equal(frame_at(remote, still, 0), frame_at(tmp_path, still, 0))


def test_a_remote_film_is_the_local_one(film, remote):
    up(film.parent, remote)
    media = Media(MediaKind.VIDEO, film.name)
    for count in (False, True):
        assert probe(remote / film.name, film.name, count=count) == probe(
            film, film.name, count=count
        )
    times = [0, 40_000, 1_000_000, 1_960_000]
    for time in times:
        there, here = (frame_at(root, media, time) for root in (remote, film.parent))
        assert np.array_equal(there, here)
    assert probe(remote / film.name, film.name).fps == Fraction(25)


def test_a_remote_film_that_is_none_is_told_as_a_local_one(tmp_path, remote):
    for name, data in {"empty.mp4": b"", "text.mp4": b"no film at all" * 100}.items():
        (tmp_path / name).write_bytes(data)
        (remote / name).write_bytes(data)
        told = []
        for path in (tmp_path / name, remote / name):
            with pytest.raises(SourceBroken) as caught:
                probe(path, name)
            told.append(str(caught.value))
        assert told[0] == told[1]
    with pytest.raises(SourceMissing, match="film.mp4 is missing"):
        probe(remote / "film.mp4", "film.mp4")

"""Quirks of EndoVis-17-VQLA's stills, one test each; its lines are those of the set of 2018."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from surgqa.ontology.records import Clock, MediaKind
from surgqa.transforms import registry

Reader = registry.load_reader("endovis17_vqla")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    registry.load_sample("endovis17_vqla")(tmp_path)
    for name in ("vqla/label/{}.txt", "left_frames/{}.jpg"):
        shutil.copy(
            tmp_path / name.format("seq1_frame015"), tmp_path / name.format("seq6_frame004")
        )
    return tmp_path


def test_each_still_is_a_video_without_a_clock(root: Path) -> None:
    reader = Reader(root)
    assert reader.videos() == ["seq1_frame015", "seq1_frame120", "seq6_frame004"]
    video = reader.read("seq1_frame015").video
    assert (video.clock, video.media.kind) == (Clock.WHOLE, MediaKind.IMAGE)
    assert video.media.path == "left_frames/seq1_frame015.jpg"


def test_stills_of_one_sequence_share_its_split_group(root: Path) -> None:
    reader = Reader(root)
    groups = [reader.read(video).video.split_group for video in reader.videos()]
    assert groups == ["endovis2017/instrument_dataset_1"] * 2 + ["endovis2017/instrument_dataset_6"]


@pytest.mark.parametrize("name", ["vqla/seq1_frame015.txt", "vqla/label/seq1_frame015_QA.txt"])
def test_labels_lie_in_either_folder_with_either_ending(root: Path, name: str) -> None:
    before = Reader(root).read("seq1_frame015")
    shutil.move(root / "vqla" / "label" / "seq1_frame015.txt", root / name)
    after = Reader(root).read("seq1_frame015")
    assert after.video.sources[0].path == name
    assert after.instruments == before.instruments


def test_a_picture_without_label_is_missing_its_label(root: Path) -> None:
    (root / "vqla" / "label" / "seq6_frame004.txt").unlink()
    assert Reader(root).missing() == ["vqla/label/seq6_frame004.txt"]

"""Quirks of CaDIS's masks, one test each, and four real frames (their masks are re-coded)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
import pytest

from surgqa.ontology.errors import SourceMissing
from surgqa.ontology.records import Clock, Code, VideoEvidence
from surgqa.pipeline.cli.contract import problems_of
from surgqa.transforms import registry
from surgqa.transforms.samples.pictures import png
from tests.readers.run_lengths import run_lengths

Reader = registry.load_reader("cadis")


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., VideoEvidence]:
    """Write masks of Video03 by frame and read it."""
    folder = tmp_path / "Video03" / "Labels"
    folder.mkdir(parents=True)

    def write_and_read(rate: Fraction | None = None, **masks: np.ndarray | bytes) -> VideoEvidence:
        for name, ids in masks.items():
            data = ids if isinstance(ids, bytes) else png(ids)
            (folder / f"Video3_{name}.png").write_bytes(data)
        evidence = Reader(tmp_path, rate=rate).read("Video03")
        assert not list(problems_of(evidence))
        return evidence

    return write_and_read


def mask(*ids: int) -> np.ndarray:
    """Five lines of each id."""
    return np.repeat(np.array(ids, dtype=np.uint8), 5)[:, None].repeat(8, axis=1)


def test_there_are_36_classes_and_each_has_a_concept(read) -> None:
    evidence = read(frame000090=mask(*range(36)))
    structures, tools = evidence.regions["structure"], evidence.instruments
    assert len(structures.labels) == structures.sample.size == 7
    assert len(tools.labels) == tools.sample.size == 21


def test_a_tip_and_its_handle_are_one_instrument(read) -> None:
    tools = read(frame000090=mask(5, 10, 20, 20)).instruments
    assert [tools.labels[code] for code in tools.label] == ["rycroft_cannula"]
    assert tools.box_xyxy.tolist() == [[0, 0.25, 1, 1]]
    assert {a.name: a.values.tolist() for a in tools.attributes} == {
        "area": [0.75],
        "handle_area": [0.5],
    }
    assert tools.row.tolist() == [10]


def test_a_class_that_is_not_painted_is_known_to_be_absent(read) -> None:
    evidence = read(frame000090=mask(0, 4), frame000120=mask(5))
    assert evidence.instruments.frames.tolist() == [90, 120]
    assert evidence.instruments.sample.size == 0
    assert "mendez_ring" in evidence.video.vocabulary


def test_without_a_rate_only_the_order_is_known(read) -> None:
    assert read(frame000090=mask(0)).video.clock == Clock.ORDER
    video = read(Fraction(30)).video
    assert (video.clock, video.duration_us) == (Clock.TIME, 3_033_333)


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (mask(0, 36, 255), Code.BAD_MASK, "36 (40 pixels), 255 (40 pixels)"),
        (b"\x89PNG", Code.UNREADABLE, "not a mask"),
        (png(np.arange(48, dtype=np.uint8).reshape(4, 4, 3)), Code.BAD_MASK, "in colour"),
    ],
)
def test_a_mask_that_cannot_be_believed_leaves_its_frame_out(read, data, code, said) -> None:
    evidence = read(frame000090=data, frame000091=mask(0))
    assert evidence.instruments.frames.tolist() == [91]
    (entry,) = evidence.rejected
    assert (entry.code, entry.where) == (code, "Video03/Labels/Video3_frame000090.png")
    assert said in entry.reason


def test_three_equal_channels_are_one(read) -> None:
    thrice = png(mask(0, 4)[:, :, None].repeat(3, axis=2))
    assert read(frame000090=thrice).regions["structure"].sample.size == 2


def test_files_with_odd_names_and_second_masks_of_a_frame_are_rejected(read) -> None:
    evidence = read(frame000090=mask(0), frame0090=mask(1), overlay=mask(1))
    assert [entry.code for entry in evidence.rejected] == [Code.DUPLICATE_FRAME, Code.BAD_FRAME]


def test_a_folder_without_masks_is_an_error(read, tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match="Video03/Labels"):
        read()
    with pytest.raises(SourceMissing, match="Video04/Labels"):
        Reader(tmp_path).read("Video04")


def test_real_frames_in_the_real_layout(real_dataset, tmp_path: Path) -> None:
    """Their 0 and 1 are another project's code; read as ids they are pupil and tape."""
    source = real_dataset("cadis-sample") / "test"
    assert not Reader(source.parent).found(), "the re-coded copy is not taken for CaDIS"
    shutil.copytree(source / "images", tmp_path / "Video03" / "Images")
    shutil.copytree(source / "labels", tmp_path / "Video03" / "Labels")
    evidence = Reader(tmp_path).read("Video03")
    frames = [2620, 2650, 2710, 2790]
    table = evidence.regions["structure"]
    assert table.frames.tolist() == frames
    assert (evidence.video.media.width, evidence.video.media.height) == (960, 540)
    assert evidence.video.split_group == "cataracts/train03"
    assert evidence.rejected == () and not list(problems_of(evidence))
    assert table.sample.size == 8
    area = next(a for a in table.attributes if a.name == "area").values
    for row in range(8):
        frame = frames[table.sample[row]]
        pixels = cv2.imread(str(source / "labels" / f"Video3_frame{frame:06d}.png"), 0)
        painted = pixels == ("pupil", "surgical_tape").index(table.labels[table.label[row]])
        assert area[row] == painted.sum() / (960 * 540)
        assert table.masks[row] == run_lengths(painted)
        y, x = np.nonzero(painted)
        expected = [x.min() / 960, y.min() / 540, (x.max() + 1) / 960, (y.max() + 1) / 540]
        assert table.box_xyxy[row].tolist() == pytest.approx(expected)

"""Quirks of EndoVis 2017's masks, one test each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Clock, Code, VideoEvidence
from surgqa.pipeline.cli.contract import problems_of
from surgqa.transforms import registry
from surgqa.transforms.samples.pictures import png

Reader = registry.load_reader("endovis2017")


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., VideoEvidence]:
    """Write masks by folder and frame and read sequence 4."""

    def write_and_read(
        masks: dict[str, np.ndarray | bytes], above: str = "train", video: str = ""
    ) -> VideoEvidence:
        for name, ids in masks.items():
            path = tmp_path / above / "instrument_dataset_4" / "ground_truth" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(ids if isinstance(ids, bytes) else png(ids))
        evidence = Reader(tmp_path).read(video or "instrument_dataset_4")
        assert not list(problems_of(evidence))
        return evidence

    return write_and_read


def mask(*ids: int) -> np.ndarray:
    """Five lines of each value."""
    return np.repeat(np.array(ids, dtype=np.uint8), 5)[:, None].repeat(8, axis=1)


def attributes(evidence: VideoEvidence) -> dict[str, list]:
    table = evidence.instruments
    return {a.name: [a.words[int(v)] if a.words else v for v in a.values] for a in table.attributes}


LEFT, RIGHT = "Left_Prograsp_Forceps_labels", "Right_Prograsp_Forceps_labels"


def test_two_frames_a_second(read) -> None:
    evidence = read({f"{LEFT}/frame000.png": mask(10), f"{LEFT}/frame224.png": mask(10)})
    assert evidence.instruments.instants_us.tolist() == [0, 112_000_000]
    assert (evidence.video.clock, evidence.video.duration_us) == (Clock.TIME, 112_500_000)


def test_a_folder_is_one_instrument_with_its_side_and_parts(read) -> None:
    evidence = read(
        {f"{LEFT}/frame000.png": mask(0, 10, 20, 30), f"{RIGHT}/frame000.png": mask(0, 0, 10, 10)}
    )
    table = evidence.instruments
    assert [table.labels[code] for code in table.label] == ["prograsp_forceps"] * 2
    assert table.track.tolist() == [0, 1]
    assert attributes(evidence) == {
        "area": [0.75, 0.5],
        "claspers_area": [0.25, 0],
        "shaft_area": [0.25, 0.5],
        "side": ["left", "right"],
        "wrist_area": [0.25, 0],
    }


def test_boxes_are_of_the_picture_inside_the_black_border(read) -> None:
    whole = np.zeros((1080, 1920), dtype=np.uint8)
    whole[28:540, 320:640] = 10
    whole[:20] = 30  # in the border, where nothing is seen
    evidence = read({f"{LEFT}/frame000.png": whole})
    assert evidence.instruments.box_xyxy.tolist() == [[0, 0, 0.25, 0.5]]
    assert evidence.instruments.masks[0].startswith("1024x1280:")
    assert attributes(evidence)["claspers_area"] == [0]


def test_three_equal_channels_are_one(read) -> None:
    thrice = mask(10, 20)[:, :, None].repeat(3, axis=2)
    assert attributes(read({f"{LEFT}/frame000.png": png(thrice)}))["shaft_area"] == [0.5]


def test_other_objects_have_values_of_their_own(read) -> None:
    evidence = read({"Other_labels/frame000.png": mask(0, 0, 77, 200)})
    assert evidence.instruments.labels[evidence.instruments.label[0]] == "other_instrument"
    assert attributes(evidence) == {"area": [0.5]}


def test_a_value_without_meaning_leaves_the_frame_out(read) -> None:
    evidence = read(
        {
            f"{LEFT}/frame000.png": mask(0, 40),
            f"{RIGHT}/frame000.png": mask(10),
            f"{LEFT}/frame001.png": mask(0),
            f"{RIGHT}/frame001.png": mask(0),
        }
    )
    assert evidence.instruments.frames.tolist() == [1]
    assert [(e.code, e.count) for e in evidence.rejected] == [
        (Code.BAD_MASK, 1),
        (Code.INCOMPLETE_INSTANT, 1),
    ]
    assert "40 (40 pixels)" in evidence.rejected[0].reason


def test_a_frame_without_one_of_its_masks_is_not_fully_known(read, tmp_path: Path) -> None:
    masks = {f"{LEFT}/frame000.png": mask(10), f"{LEFT}/frame001.png": mask(10)}
    evidence = read({**masks, f"{RIGHT}/frame000.png": mask(10)})
    assert evidence.instruments.frames.tolist() == [0]
    assert [entry.code for entry in evidence.rejected] == [Code.INCOMPLETE_INSTANT]
    gone = f"train/instrument_dataset_4/ground_truth/{RIGHT}/frame001.png"
    assert gone in Reader(tmp_path).missing()


def test_a_test_sequence_continues_the_training_sequence_of_its_number(read) -> None:
    masks = {f"{LEFT}/frame225.png": mask(10)}
    test = read(masks, "instrument_1_4_testing", "test_instrument_dataset_4")
    train = read(masks, "instrument_1_4_training")
    assert test.video.split_group == train.video.split_group == "endovis2017/instrument_dataset_4"


def test_a_folder_named_after_no_instrument_is_an_error(read) -> None:
    with pytest.raises(SourceBroken, match="Spoon_labels"):
        read({"Spoon_labels/frame000.png": mask(10)})


def test_right_pictures_and_combined_masks_are_not_labels(read) -> None:
    evidence = read({f"{LEFT}/frame000.png": mask(10), "combined/frame000.png": mask(99)})
    assert evidence.instruments.sample.size == evidence.books[0].read == 1

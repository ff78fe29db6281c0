"""Quirks of SimSurgSkill 2021, one test each; no label file of it was seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.records import Code, MediaKind, VideoEvidence
from surgqa.transforms.readers.simsurgskill2021.reader import Reader

DRIVER: dict[str, Any] = {
    "obj_class": "needle driver", "coordinate": '{"h": 72, "w": 128, "x": 640, "y": 360}',
    "orientation": "left", "objects": True, "fps": 1, "frame_id": 1.0,
}  # fmt: skip
NEEDLE = {**DRIVER, "obj_class": "needle", "orientation": "grabbed"}
HEADER = "case_id,economy_of_motion,needle_drop_counts,instrument_out_of_view_counts\n"


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., VideoEvidence]:
    """Write the boxes of one case, and a table of metrics, and read them."""

    def write_and_read(
        *boxes: Any, metrics: str | None = None, part: str = "train_v1", name: str = "_fps1"
    ) -> VideoEvidence:
        folder = tmp_path / part / "annotations"
        (folder / "bounding_box_gt").mkdir(parents=True)
        path = folder / f"bounding_box_gt/caseid_000007{name}.json"
        path.write_text(json.dumps({str(n): box for n, box in enumerate(boxes)}))
        if metrics is not None:
            (folder / "skill_metric_gt.csv").write_text(HEADER + metrics)
        (video,) = Reader(tmp_path).videos()
        evidence = Reader(tmp_path).read(video)
        assert all(books.balanced for books in evidence.books)
        return evidence

    return write_and_read


def codes(evidence: VideoEvidence) -> list[str]:
    return [entry.code for entry in evidence.rejected]


def words(table: Any) -> list[str | None]:
    """The one attribute of each row, in words."""
    (attribute,) = table.attributes
    return [None if np.isnan(v) else attribute.words[int(v)] for v in attribute.values]


def test_keys_are_numbers_of_boxes_and_not_frames(read) -> None:
    evidence = read(DRIVER, NEEDLE, {**DRIVER, "frame_id": 4.0})
    assert evidence.instruments.frames.tolist() == [0, 3]
    assert evidence.instruments.instants_us.tolist() == [0, 3_000_000]
    assert evidence.video.duration_us == 4_000_000


@pytest.mark.parametrize(
    "coordinate",
    [
        '{"h": 72, "w": 128, "x": 640, "y": 360}',
        {"h": 72, "w": 128, "x": 640, "y": 360},
    ],
)
def test_a_coordinate_is_a_text_in_the_json_or_an_object(read, coordinate) -> None:
    table = read({**DRIVER, "coordinate": coordinate}).instruments
    assert table.box_xyxy.tolist() == [[0.5, 0.5, 0.6, 0.6]]


def test_a_driver_without_a_box_is_a_presence(read) -> None:
    table = read({**DRIVER, "coordinate": None}).instruments
    assert table.labels == ("needle_driver",)
    assert np.isnan(table.box_xyxy).all() and len(table.sample) == 1


def test_nothing_in_view_is_an_empty_instant_and_a_frame_without_rows_is_unknown(read) -> None:
    nothing = {"obj_class": None, "coordinate": None, "objects": False, "frame_id": 3.0, "fps": 1}
    evidence = read(DRIVER, nothing)
    assert evidence.instruments.frames.tolist() == [0, 2]
    assert evidence.instruments.sample.tolist() == [0]
    assert (evidence.books[0].read, evidence.books[0].kept) == (2, 2)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("grabbed", "yes"), ("Needle is GRABBED", "yes"), ("not grabbed", "no"),
        ("not_being_grabbed", "no"), ("ungrabbed", "no"), ("no grab", "no"), ("free", None),
        (None, None),
    ],
)  # fmt: skip
def test_whether_the_needle_is_grasped_is_in_the_words_of_its_orientation(
    read, told, expected
) -> None:
    sure = {**NEEDLE, "frame_id": 2.0}
    table = read({**NEEDLE, "orientation": told}, sure).regions["structure"]
    assert words(table) == [expected, "yes"]


def test_drivers_know_their_hand(read) -> None:
    right = {**DRIVER, "orientation": "Right driver", "coordinate": None}
    both = {**DRIVER, "orientation": "left or right", "frame_id": 2.0}
    assert words(read(DRIVER, right, both).instruments) == ["left", "right", None]


def test_the_needle_is_no_instrument(read) -> None:
    evidence = read(DRIVER, NEEDLE)
    assert evidence.video.vocabulary == ("needle_driver",)
    assert evidence.instruments.sample.size == 1
    assert evidence.regions["structure"].labels == ("simulated_needle",)
    assert evidence.regions["structure"].instants_us.tolist() == [0]


def test_boxes_may_stick_out_of_the_picture(read) -> None:
    evidence = read({**DRIVER, "coordinate": {"h": 80, "w": 128, "x": -64, "y": 680}})
    assert evidence.instruments.box_xyxy.tolist() == [[0.0, 680 / 720, 0.05, 1.0]]
    assert [(e.code, e.outcome) for e in evidence.rejected] == [(Code.BAD_BOX, "repaired")]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"obj_class": "scalpel"}, Code.UNKNOWN_LABEL),
        ({"coordinate": "{x"}, Code.BAD_BOX),
        ({"coordinate": {"x": 1, "y": 2, "w": 3}}, Code.BAD_BOX),
        ({"coordinate": {"x": 1, "y": 2, "w": 0, "h": 4}}, Code.BAD_BOX),
        ({"coordinate": {"x": 5000, "y": 2, "w": 9, "h": 4}}, Code.BAD_BOX),
        ({"coordinate": {"x": "1", "y": 2, "w": 9, "h": 4}}, Code.BAD_BOX),
        ({"objects": False}, Code.CONTRADICTION),
        ({"fps": 30}, Code.BAD_VALUE),
    ],
)
def test_a_box_that_is_not_understood_takes_its_frame_with_it(read, change, code) -> None:
    evidence = read(DRIVER, {**DRIVER, **change}, {**DRIVER, "frame_id": 2.0})
    assert sorted(codes(evidence)) == sorted([code, Code.INCOMPLETE_INSTANT])
    assert evidence.instruments.frames.tolist() == [1]


@pytest.mark.parametrize("frame", [0, 1.5, "1", None, float("inf"), 1e7])
def test_a_box_of_no_frame_is_rejected(read, frame) -> None:
    evidence = read(DRIVER, {**DRIVER, "frame_id": frame})
    assert codes(evidence) == [Code.BAD_FRAME]


def test_the_same_box_again_is_one_too_many(read) -> None:
    evidence = read(DRIVER, DRIVER)
    assert codes(evidence) == [Code.BAD_ROW]
    assert evidence.instruments.sample.size == 1


@pytest.mark.parametrize("name", ["_fps1", "_fp1", ""])
@pytest.mark.parametrize("part", ["train_v1", "Release_v1", "simsurgskill_2021_dataset/train_v1"])
def test_names_and_folders_of_both_releases_are_found(read, tmp_path: Path, part, name) -> None:
    evidence = read(DRIVER, part=part, name=name, metrics="7,1.5,2,\n")
    assert Reader(tmp_path).videos() == ["train_v1_000007"]
    assert [(label.label, label.value) for label in evidence.labels] == [("needle_drops", 2.0)]


def test_parts_may_share_case_numbers(tmp_path: Path, read) -> None:
    first = read(DRIVER, part="train_v2")
    folder = tmp_path / "test/annotations/bounding_box_gt"
    folder.mkdir(parents=True)
    (folder / "caseid_000007_fps1.json").write_text(json.dumps({"0": DRIVER}))
    reader = Reader(tmp_path)
    assert reader.videos() == ["test_000007", "train_v2_000007"]
    assert reader.read("test_000007").video.split_group == first.video.split_group


@pytest.mark.parametrize("case", ["7", "000007", "caseid_000007", "caseid_000007_fps1"])
def test_cases_are_written_in_several_ways(read, case: str) -> None:
    labels = read(DRIVER, metrics=f"{case},,3.0,0\n").labels
    assert [(label.label, label.value) for label in labels] == [
        ("instruments_out_of_view", 0.0), ("needle_drops", 3.0),
    ]  # fmt: skip


def test_empty_cells_are_not_annotated(read) -> None:
    evidence = read(DRIVER, metrics="7,2.5,nan,\n")
    assert evidence.labels == ()
    assert evidence.books[0].read == 1


@pytest.mark.parametrize("value", ["-1", "2.5", "many"])
def test_a_metric_that_is_no_count_is_rejected(read, value: str) -> None:
    evidence = read(DRIVER, metrics=f"7,,{value},1\n")
    assert codes(evidence) == [Code.BAD_VALUE]
    assert evidence.rejected[0].where == "train_v1/annotations/skill_metric_gt.csv:2"
    assert len(evidence.labels) == 1


@pytest.mark.parametrize("lines", ["x,1,1,1\n", "7,1,1,1\n7,1,1,1\n", "7,1,1\n"])
def test_a_line_of_no_case_of_its_own_is_broken_and_named(read, lines: str) -> None:
    with pytest.raises(SourceBroken) as error:
        read(DRIVER, metrics=lines)
    where = error.value.where or ""
    assert where.startswith("train_v1/annotations/skill_metric_gt.csv:")


def test_boxes_that_a_table_lists_but_are_not_there_are_missing(read, tmp_path: Path) -> None:
    read(DRIVER, metrics="7,1,1,1\n8,1,1,1\n")
    reader = Reader(tmp_path)
    gone = "train_v1/annotations/bounding_box_gt/caseid_000008_fps1.json"
    assert gone in reader.missing()
    with pytest.raises(SourceMissing) as error:
        reader.read("train_v1_000008")
    assert error.value.where == gone


def test_the_video_at_one_frame_a_second_is_shown_first(read, tmp_path: Path) -> None:
    for name in ("fps30/caseid_000007.mp4", "fps1/caseid_000007_fps1.mp4"):
        path = tmp_path / "train_v1/videos" / name
        path.parent.mkdir(parents=True)
        with av.open(str(path), "w") as container:
            stream = container.add_stream("mpeg4", rate=1)
            stream.width, stream.height = 64, 48
            for level in range(5):
                grey = np.full((48, 64, 3), level * 40, dtype=np.uint8)
                container.mux(stream.encode(av.VideoFrame.from_ndarray(grey, format="rgb24")))
            container.mux(stream.encode(None))
    evidence = read(DRIVER)
    assert evidence.video.media.kind is MediaKind.VIDEO
    assert evidence.video.media.path == "train_v1/videos/fps1/caseid_000007_fps1.mp4"
    assert evidence.video.duration_us == 5_000_000

"""Quirks of GraSP, one test each; no real file of it is public."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgqa.ontology.masks import decoded
from surgqa.ontology.records import Clock, Code, MediaKind, VideoEvidence
from surgqa.transforms import registry
from surgqa.transforms.media.masks import area_of
from surgqa.transforms.samples.pictures import picture, png

Reader = registry.load_reader("grasp")

Tree = dict[str, Any]
SECONDS = 73


def write_source(root: Path) -> None:
    """The sample, whose numbers count frames of the source."""
    registry.load_sample("grasp")(root)


def write_seconds(root: Path) -> None:
    """The same labels as in the release whose numbers count seconds, with pictures."""
    write_source(root / "source")
    for path in sorted((root / "source").rglob("*.json")):
        tree = json.loads(path.read_text())
        seconds = {image["file_name"]: second(image) for image in tree["images"]}
        for image in tree["images"]:
            image["frame_num"] = seconds[image["file_name"]]
            image["file_name"] = named(image)
        for row in tree["annotations"]:
            case = row["image_name"].split("/")[0]
            row["image_name"] = named({"video_name": case, "frame_num": seconds[row["image_name"]]})
        (root / "GraSP_1fps/annotations").mkdir(parents=True, exist_ok=True)
        (root / "GraSP_1fps/annotations" / path.name).write_text(json.dumps(tree))
    shutil.rmtree(root / "source")
    (root / "GraSP_1fps/frames/CASE001").mkdir(parents=True)
    for number in (0, 35, 70):
        data = png(picture(number, [], []))
        (root / f"GraSP_1fps/frames/CASE001/{number:05d}.png").write_bytes(data)


def second(image: Tree) -> int:
    """Frames of the two cases come at different rates, and a little later each week of seconds."""
    rate = {"CASE001": 45, "CASE014": 37}[image["video_name"]]
    return next(s for s in range(SECONDS) if 15 + rate * s + s // 7 == image["frame_num"])


def named(image: Tree) -> str:
    return f"{image['video_name']}/{image['frame_num']:05d}.jpg"


def read(root: Path, case: str = "CASE001") -> VideoEvidence:
    evidence = Reader(root).read(case)
    assert all(books.balanced for books in evidence.books)
    return evidence


def change(root: Path, term: str, how: Callable[[Tree], object]) -> None:
    path = next(root.rglob(f"grasp_{term}-term_train.json"))
    tree = json.loads(path.read_text())
    how(tree)
    path.write_text(json.dumps(tree))


def test_numbers_of_source_frames_are_seconds_by_rank(tmp_path: Path) -> None:
    write_source(tmp_path)
    path = tmp_path / "GraSP_30fps/annotations/grasp_short-term_train.json"
    numbers = [image["frame_num"] for image in json.loads(path.read_text())["images"]]
    assert numbers[:3] == [15, 15 + 35 * 45 + 5, 15 + 70 * 45 + 10]  # no rate fits them all
    evidence = read(tmp_path)
    assert evidence.instruments.frames.tolist() == [0, 35, 70]
    assert evidence.video.clock is Clock.TIME
    assert evidence.video.duration_us == SECONDS * 1_000_000


def test_without_the_long_term_file_only_the_order_is_known(tmp_path: Path) -> None:
    write_source(tmp_path)
    next(tmp_path.rglob("grasp_long-term_train.json")).unlink()
    evidence = read(tmp_path)
    assert evidence.video.clock is Clock.ORDER
    assert evidence.instruments.frames.tolist() == [0, 1, 2]
    rated = Reader(tmp_path, rate=Fraction(1, 35)).read("CASE001")
    assert rated.video.clock is Clock.TIME
    assert rated.instruments.instants_us.tolist() == [0, 35_000_000, 70_000_000]


def test_numbers_of_the_release_at_one_picture_a_second_are_seconds(tmp_path: Path) -> None:
    write_seconds(tmp_path)
    next(tmp_path.rglob("grasp_long-term_train.json")).unlink()
    evidence = read(tmp_path)
    assert evidence.video.clock is Clock.TIME
    assert evidence.instruments.frames.tolist() == [0, 35, 70]
    assert evidence.video.media.kind is MediaKind.FRAMES


def test_the_release_at_one_picture_a_second_is_read_first(tmp_path: Path) -> None:
    write_source(tmp_path)
    write_seconds(tmp_path)
    assert {source.path.split("/")[0] for source in read(tmp_path).video.sources} == {"GraSP_1fps"}


def test_folds_stand_in_for_a_missing_training_file(tmp_path: Path) -> None:
    write_seconds(tmp_path)
    before = read(tmp_path)
    for term in ("long", "short"):
        path = next(tmp_path.rglob(f"grasp_{term}-term_train.json"))
        path.rename(path.with_name(f"grasp_{term}-term_fold2.json"))
    after = read(tmp_path)
    assert after.instruments == before.instruments
    assert [s.path.split("_")[-1] for s in after.video.sources] == ["fold2.json"] * 2


def test_an_unpacked_copy_without_its_release_folder_is_read(tmp_path: Path) -> None:
    write_source(tmp_path)
    plain = read(tmp_path / "GraSP_30fps")
    assert plain.instruments == read(tmp_path).instruments
    assert plain.video.clock is Clock.TIME


def test_ids_of_actions_are_those_of_the_file(tmp_path: Path) -> None:
    write_seconds(tmp_path)
    before = [s for s in read(tmp_path).spans if s.kind == "action"]

    def shifted(tree: Tree) -> None:
        for entry in tree["actions_categories"]:
            entry["id"] += 7
        for row in tree["annotations"]:
            row["actions"] = [action + 7 for action in row["actions"]]

    change(tmp_path, "short", shifted)
    assert [s for s in read(tmp_path).spans if s.kind == "action"] == before


def test_phase_ids_start_at_zero_and_minus_one_is_not_annotated(tmp_path: Path) -> None:
    write_source(tmp_path)

    def silent_for_a_while(tree: Tree) -> None:
        for row in tree["annotations"][20:25]:
            row["phases"] = row["steps"] = -1

    change(tmp_path, "long", silent_for_a_while)
    spans = [s for s in read(tmp_path).spans if s.kind == "phase"]
    assert spans[0].label == "prostatectomy_idle"
    silent = range(20_000_000, 25_000_000, 1_000_000)
    assert not [s for s in spans for t in silent if s.start_us <= t < s.end_us]


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_a_box_of_zeros_is_none_and_the_mask_tells_where(tmp_path: Path) -> None:
    write_seconds(tmp_path)
    change(tmp_path, "short", lambda t: [row.update(bbox=[0, 0, 0, 0]) for row in t["annotations"]])
    table = read(tmp_path).instruments
    (area,) = table.attributes
    for row, mask in enumerate(table.masks):
        if not mask:
            assert np.isnan(table.box_xyxy[row]).all()
            continue
        lines, columns = decoded(mask).nonzero()
        assert table.box_xyxy[row].tolist() == pytest.approx(
            [columns.min() / 1280, lines.min() / 800, (columns.max() + 1) / 1280,
             (lines.max() + 1) / 800]
        )  # fmt: skip
        assert area.values[row] == area_of(mask) == lines.size / (1280 * 800)


@pytest.mark.parametrize(
    "segmentation",
    [
        {"size": [1024, 1280], "counts": "abc"},
        {"size": [800, 1280], "counts": "@@@"},
        {"size": [800, float("inf")], "counts": "0"},
        "a text",
    ],
)
def test_a_mask_of_another_picture_is_left_out(tmp_path: Path, segmentation: Any) -> None:
    write_seconds(tmp_path)
    change(tmp_path, "short", lambda t: t["annotations"][0].update(segmentation=segmentation))
    evidence = read(tmp_path)
    assert [(e.code, e.outcome) for e in evidence.rejected] == [(Code.BAD_MASK, "repaired")]
    first = [i for i, s in enumerate(evidence.instruments.sample) if s == 0]
    assert any(not evidence.instruments.masks[i] for i in first)


def test_a_keyframe_that_the_long_term_file_lacks_has_no_time(tmp_path: Path) -> None:
    write_source(tmp_path)

    def without(tree: Tree) -> None:
        gone = tree["images"].pop(35)
        tree["annotations"] = [a for a in tree["annotations"] if a["image_id"] != gone["id"]]

    change(tmp_path, "long", without)
    evidence = read(tmp_path)
    assert {entry.code for entry in evidence.rejected} == {Code.BAD_TIME}
    assert evidence.instruments.frames.tolist() == [0, 69]


def test_the_eight_cases_of_psi_ava_share_their_split_group(tmp_path: Path) -> None:
    write_source(tmp_path)
    for path in sorted(tmp_path.rglob("*_train.json")):
        test = path.with_name(path.name.replace("train", "test"))
        test.write_text(
            path.read_text().replace("CASE001", "CASE041").replace("CASE014", "CASE047")
        )
    reader = Reader(tmp_path)
    groups = [reader.read(case).video.split_group for case in reader.videos()]
    assert groups == ["psi-ava/01", "psi-ava/14", "psi-ava/41", "psi-ava/47"]
    assert reader.splits["official"]["CASE041"] == "test"
    assert reader.splits["official"]["CASE014"] == "train"

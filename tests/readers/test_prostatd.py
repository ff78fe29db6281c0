"""Quirks of ProstaTD, one test each, and its real list of triplets."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgqa.ontology.concepts import label_map, vocabulary
from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.records import IDLE, Clock, Code, VideoEvidence
from surgqa.transforms import registry

Reader = registry.load_reader("prostatd")

Shape = dict[str, Any]


def shape(label: str, action: Any = None, target: Any = None, points: Any = None) -> Shape:
    attributes = {"Action": action, "Target": target}
    corners = [[10, 20], [110, 220]] if points is None else points
    return {"label": label, "points": corners, "shape_type": "rectangle", "attributes": attributes}


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., VideoEvidence]:
    """Write pictures of one video, each a name and its shapes, and read them."""

    def write_and_read(rate: Fraction | None = None, **pictures: Any) -> VideoEvidence:
        folder = tmp_path / "pwhv1"
        folder.mkdir()
        for stem, shapes in pictures.items():
            tree = {"shapes": shapes, "imageWidth": 1000, "imageHeight": 500}
            (folder / f"{stem.removeprefix('p')}.json").write_text(json.dumps(tree))
        evidence = Reader(tmp_path, rate=rate).read("pwhv1")
        assert all(books.balanced for books in evidence.books)
        return evidence

    return write_and_read


def codes(evidence: VideoEvidence) -> list[tuple[str, str]]:
    return [(entry.code, entry.where) for entry in evidence.rejected]


def test_pictures_are_in_the_order_of_their_numbers_and_suffixes(read) -> None:
    one, two = [shape("scissors")], [shape("forceps")]
    evidence = read(p99=one, p302300=two, p302299_10=one, p302299_2=two, p302299=one)
    assert [source.path for source in evidence.video.sources] == [
        "pwhv1/99.json", "pwhv1/302299.json", "pwhv1/302299_2.json", "pwhv1/302299_10.json",
        "pwhv1/302300.json",
    ]  # fmt: skip
    assert evidence.instruments.frames.tolist() == [0, 1, 2, 3, 4]


def test_seconds_come_from_the_rate_that_the_dataset_publishes(read) -> None:
    video = read(p7=[], p900=[]).video
    assert video.clock is Clock.TIME
    assert (video.fps, video.duration_us) == (1, 2_000_000)


def test_a_given_rate_gives_seconds(read) -> None:
    evidence = read(rate=Fraction(2), p7=[], p900=[])
    assert evidence.video.clock is Clock.TIME
    assert evidence.instruments.instants_us.tolist() == [0, 500_000]
    assert evidence.video.duration_us == 1_000_000


def test_corners_may_be_any_two_opposite_ones(read) -> None:
    points = [[700, 400], [600, 100]]
    evidence = read(p1=[shape("grasper", points=points)])
    assert evidence.instruments.box_xyxy.tolist() == [[0.6, 0.2, 0.7, 0.8]]


def test_shapes_with_one_box_are_one_instance_that_does_several_things(read) -> None:
    evidence = read(
        p1=[
            shape("forceps", "retract", "prostate"),
            shape("forceps", "grasp", "fascias"),
            shape("forceps", "grasp", "fascias", [[0, 0], [50, 50]]),
        ]
    )
    table = evidence.instruments
    pairs = [table.pair_sets[code] for code in table.pairs]
    assert pairs == [(("grasp", "fascia"),), (("grasp", "fascia"), ("retract", "prostate"))]
    assert evidence.books[0].kept == 3


@pytest.mark.parametrize("missing", [{}, {"Action": None}, {"Action": "null", "Target": "null"}])
def test_a_missing_action_and_target_is_idling(read, missing) -> None:
    evidence = read(p1=[{**shape("scissors"), "attributes": missing}])
    assert evidence.instruments.pair_sets == ((IDLE,),)


def test_empty_boxes_of_the_first_release_are_presences(read) -> None:
    evidence = read(p1=[shape("scissors", points=[]), {**shape("scissors"), "points": None}])
    assert evidence.instruments.sample.size == 2
    assert np.isnan(evidence.instruments.box_xyxy).all()
    assert evidence.instruments.box_origin == "none"


def test_the_bag_is_an_instrument_and_a_target(read) -> None:
    evidence = read(p1=[shape("Endobag"), shape("forceps", "bag", "Endobag")])
    assert "retrieval_bag" in evidence.instruments.labels
    assert (("pack", "specimen_bag"),) in evidence.instruments.pair_sets


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (shape("nurse"), Code.UNKNOWN_LABEL),
        (shape("scissors", "fly", "prostate"), Code.UNKNOWN_LABEL),
        (shape("scissors", "cut", "moon"), Code.UNKNOWN_LABEL),
        (shape("scissors", "cut"), Code.CONTRADICTION),
        (shape("scissors", None, "prostate"), Code.CONTRADICTION),
        (shape("scissors", points=[[1, 2]]), Code.BAD_BOX),
        (shape("scissors", points=[[1, 2], [1, 40]]), Code.BAD_BOX),
        (shape("scissors", points=[[1, "2"], [4, 40]]), Code.BAD_BOX),
        (shape("scissors", points=[[1001, 2], [1400, 40]]), Code.BAD_BOX),
        ({**shape("scissors"), "attributes": ["cut"]}, Code.BAD_ROW),
        ("scissors", Code.BAD_ROW),
    ],
)
def test_a_shape_that_is_not_understood_takes_its_picture_with_it(read, bad, code) -> None:
    evidence = read(p1=[shape("forceps"), bad], p2=[shape("forceps")])
    assert codes(evidence) == [
        (Code.INCOMPLETE_INSTANT, "pwhv1/1.json shapes[0]"),
        (code, "pwhv1/1.json shapes[1]"),
    ]
    assert evidence.instruments.frames.tolist() == [1]


def test_a_box_beyond_the_picture_is_cut(read) -> None:
    evidence = read(p1=[shape("grasper", points=[[-10, 20], [110, 520]])])
    assert [(e.code, e.outcome) for e in evidence.rejected] == [(Code.BAD_BOX, "repaired")]
    assert evidence.instruments.box_xyxy.tolist() == [[0.0, 0.04, 0.11, 1.0]]


@pytest.mark.parametrize("tree", [{}, {"shapes": [], "imageWidth": 0, "imageHeight": 5}])
def test_a_file_without_shapes_or_size_is_broken_and_named(tmp_path: Path, tree) -> None:
    (tmp_path / "psiv3").mkdir()
    (tmp_path / "psiv3/5.json").write_text(json.dumps(tree))
    with pytest.raises(SourceBroken) as error:
        Reader(tmp_path).read("psiv3")
    assert error.value.where == "psiv3/5.json:1"


def test_a_video_without_labels_is_missing_and_so_are_labels_of_pictures(tmp_path: Path) -> None:
    registry.load_sample("prostatd")(tmp_path)
    reader = Reader(tmp_path)
    assert reader.videos() == ["esadv2", "psiv14"]
    assert len(reader.missing()) == 19
    gone = sorted((tmp_path / "psiv14").glob("*.json"))[0]
    gone.unlink()
    assert f"psiv14/{gone.name}" in reader.missing()
    with pytest.raises(SourceMissing) as error:
        reader.read("pwhv1")
    assert error.value.where == "pwhv1/*.json"


def test_each_split_tests_other_videos_and_together_they_test_all() -> None:
    splits = Reader(Path()).splits
    tested = [video for split in splits.values() for video in split if split[video] == "test"]
    assert sorted(tested) == sorted(Reader(Path()).files.video_ids)


def test_the_real_triplets_are_made_of_labels_in_the_order_of_the_map(real_dataset) -> None:
    text = (real_dataset("prostatd") / "triplet_maps_v2.txt").read_text()
    rows = [tuple(map(int, line.split(","))) for line in text.splitlines() if line[:1].isdigit()]
    assert [row[0] for row in rows] == list(range(89))
    labels = {kind: list(names) for kind, names in label_map("prostatd").items()}
    used = {kind: {row[column] for row in rows}
            for column, kind in ((1, "instrument"), (2, "verb"), (3, "target"))}  # fmt: skip
    for kind, names in labels.items():
        assert used[kind] == set(range(len(names))), kind
        assert set(label_map("prostatd")[kind].values()) <= set(vocabulary(f"{kind}s"))
    # Idling is the only triplet with a null in it, one an instrument.
    null = [(row[1], row[2], row[3]) for row in rows if 9 in row[2:4]]
    assert null == [(instrument, 9, 9) for instrument in range(7)]
    spelt = {(labels["instrument"][i], labels["verb"][v], labels["target"][t])
             for _, i, v, t, *_ in rows}  # fmt: skip
    assert ("aspirator", "suck", "fluid") in spelt
    assert ("Endobag", "bag", "prostate") in spelt


def test_every_real_triplet_is_read_as_its_concepts(real_dataset, read) -> None:
    text = (real_dataset("prostatd") / "triplet_maps_v2.txt").read_text()
    rows = [tuple(map(int, line.split(","))) for line in text.splitlines() if line[:1].isdigit()]
    known = label_map("prostatd")
    names = {kind: list(known[kind]) for kind in ("instrument", "verb", "target")}
    evidence = read(
        **{
            f"p{number}": [shape(names["instrument"][i], names["verb"][v], names["target"][t])]
            for number, i, v, t, *_ in rows
        }
    )
    table = evidence.instruments
    found = [(table.labels[table.label[n]], *table.pair_sets[table.pairs[n]][0]) for n in range(89)]
    assert evidence.rejected == ()
    assert found == [
        (known["instrument"][names["instrument"][i]], known["verb"][names["verb"][v]],
         known["target"][names["target"][t]])
        for _, i, v, t, *_ in rows
    ]  # fmt: skip

"""Corrections lie over what was observed; later ones win, and who did what stays known."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.transforms.labelling.layer import (
    CORRECTIONS,
    LayerSignature,
    corrected,
    layer_names,
    layer_record,
    layers_of,
    truth_of,
    write_layer,
)
from surgqa.transforms.labelling.matching import (
    Action,
    Correction,
    FrameCounts,
    MatchedFile,
    ReviewedFrame,
)
from surgqa.transforms.labelling.sheet import ChangeReason, Drawn, Reject, SheetFrame
from surgqa.transforms.labelling.view import StoreView
from surgqa.transforms.store.evidence import stored_schema
from tests.transforms.labelling.conftest import MEDIUM, SECOND, box


def reviewed(
    second: int, *corrections: Correction, video: str = "A", medium: str = MEDIUM
) -> ReviewedFrame:
    frame = SheetFrame(f"{second}.png", video, second * SECOND, second, 100, 100, (), medium=medium)
    return ReviewedFrame(frame, corrections)


def correction(action: Action, label: str = "hook", at: float = 0.5, **more) -> Correction:
    place = (at, at, at + 0.2, at + 0.2)
    return Correction(action, Drawn(f"{label}{at}", "instrument", label, place, 1.0, **more))


def lay(folder, name, *frames, reviewer="ann", date="2026-11-21", part="training", rejects=()):
    signature = LayerSignature(int(name[:3]), reviewer, date, "cvat", "0" * 64, part)
    books = FrameCounts(len(frames), len(frames), 0, 0)
    write_layer(folder, name, signature, MatchedFile(list(frames), [], list(rejects), books))


@pytest.fixture
def folder(store):
    return store({"A": [box(s) for s in range(6)], "B": [box(s) for s in range(6)]})


def rows(folder, video="A") -> list[dict]:
    boxes = StoreView(folder).table(video, "boxes")
    return corrected(boxes, layers_of(folder, video, MEDIUM)).to_pylist()


def test_without_layers_nothing_changes(folder):
    boxes = StoreView(folder).table("A", "boxes")
    assert corrected(boxes, []).equals(boxes)


def test_people_replace_the_detector_where_they_looked_and_only_there(folder):
    before = rows(folder)
    lay(folder, "001-01",
        reviewed(2, correction(Action.ADDED), correction(Action.CONFIRMED, "clipper", 0.1)),
        reviewed(4))  # fmt: skip
    after = rows(folder)
    assert [(r["frame"], r["label"], r["origin"]) for r in after] == [
        (0, "grasper", "detector"), (1, "grasper", "detector"), (2, "clipper", "manual"),
        (2, "hook", "manual"), (3, "grasper", "detector"), (5, "grasper", "detector"),
    ]  # fmt: skip
    assert [r for r in after if r["frame"] in (0, 1, 3, 5)] == [
        r for r in before if r["frame"] in (0, 1, 3, 5)
    ]
    assert rows(folder, "B") == rows(folder, "B")
    assert {r["origin"] for r in rows(folder, "B")} == {"detector"}


def test_the_schema_stays_that_of_the_boxes(folder):
    from surgqa.ontology.observed import BOXES

    lay(folder, "001-01", reviewed(2, correction(Action.ADDED)))
    boxes = StoreView(folder).table("A", "boxes")
    assert corrected(boxes, layers_of(folder, "A", MEDIUM)).schema == stored_schema("boxes")
    whole = boxes.append_column("appearance", pa.nulls(boxes.num_rows, pa.binary()))
    fresh = whole.select(BOXES.names).cast(BOXES)
    assert corrected(fresh, layers_of(folder, "A", MEDIUM)).schema == BOXES


def test_later_layers_win_frame_by_frame(folder):
    lay(folder, "001-01", reviewed(2, correction(Action.ADDED)), reviewed(3))
    lay(folder, "002-01", reviewed(3, correction(Action.ADDED, "scissors")), reviewer="bob")
    lay(folder, "001-02", reviewed(2, correction(Action.ADDED, "clipper")))
    assert layer_names(folder) == ["001-01", "001-02", "002-01"]
    at = {r["frame"]: r["label"] for r in rows(folder)}
    assert (at[2], at[3]) == ("clipper", "scissors")


def test_a_layer_is_about_the_content_that_the_reviewer_saw(folder):
    lay(folder, "001-01", reviewed(2, correction(Action.ADDED)), reviewed(4))
    lay(folder, "002-01", reviewed(2, correction(Action.ADDED, "clipper"), medium="1" * 64))
    assert [one.name for one in layers_of(folder, "A", MEDIUM)] == ["001-01"]
    assert [one.name for one in layers_of(folder, "A", "1" * 64)] == ["002-01"]
    assert layers_of(folder, "A", "2" * 64) == []


def test_deleted_boxes_are_kept_in_the_layer_and_in_nothing_else(folder):
    lay(folder, "001-01", reviewed(2, correction(Action.DELETED, "grasper")))
    assert 2 not in {r["frame"] for r in rows(folder)}
    (layer,) = layers_of(folder, "A", MEDIUM)
    assert [
        (r["action"], r["origin"], r["reviewer"], r["date"]) for r in layer.rows.to_pylist()
    ] == [("deleted", "detector", "ann", "2026-11-21")]
    assert layers_of(folder, "B", MEDIUM) == []


def test_an_empty_reviewed_frame_is_known_to_be_empty(folder):
    lay(folder, "001-01", reviewed(4))
    (layer,) = layers_of(folder, "A", MEDIUM)
    assert layer.reviewed == {4 * SECOND: 4} and layer.rows.num_rows == 0
    assert truth_of([layer], "training") == {4 * SECOND: []}
    assert layers_of(folder, "B", MEDIUM) == []


def test_truth_is_told_apart_by_part(folder):
    lay(folder, "001-01", reviewed(1, correction(Action.ADDED)), part="held_out")
    lay(folder, "002-01", reviewed(2, correction(Action.ADDED)))
    layers = layers_of(folder, "A", MEDIUM)
    assert list(truth_of(layers, "held_out")) == [SECOND]
    assert list(truth_of(layers, "training")) == [2 * SECOND]


def test_a_second_review_replaces_the_truth_of_the_first(folder):
    lay(folder, "001-01", reviewed(1, correction(Action.ADDED), correction(Action.ADDED, at=0.1)))
    lay(folder, "001-02", reviewed(1, correction(Action.ADDED, "clipper")))
    (boxes,) = truth_of(layers_of(folder, "A", MEDIUM), "training").values()
    assert [one["label"] for one in boxes] == ["clipper"]


def test_a_layer_without_its_record_does_not_count(folder):
    lay(folder, "001-01", reviewed(1))
    (folder / "layers" / "001-01" / "layer.json").unlink()
    assert layer_names(folder) == [] and layers_of(folder, "A", MEDIUM) == []


def test_files_of_a_layer(folder):
    reject = Reject("x.png", ChangeReason.OUTSIDE, "leaves the frame", "a.xml: image 3", "frame")
    lay(folder, "001-01", reviewed(1, correction(Action.MOVED, track=3, visibility="full")),
        rejects=[reject])  # fmt: skip
    place = folder / "layers" / "001-01"
    assert sorted(p.name for p in place.iterdir()) == ["A.parquet", "layer.json", "rejected.jsonl"]
    (row,) = pq.read_table(place / "A.parquet").cast(CORRECTIONS).to_pylist()
    assert (row["track"], row["visibility"], row["action"]) == (3, "full", "moved")
    told = json.loads((place / "rejected.jsonl").read_text())
    assert told == {"file": "x.png", "code": "outside", "reason": "leaves the frame",
                    "where": "a.xml: image 3", "outcome": "frame"}  # fmt: skip
    record = layer_record(folder, "001-01")
    assert record["reviewed"] == {"A": {"times_us": [SECOND], "frames": [1], "medium": MEDIUM}}
    assert record["labels"] == {"hook": {"moved": 1}} and record["rejected"] == {"outside": 1}


def test_a_layer_of_which_all_was_taken_has_no_file_of_rejects(folder):
    lay(folder, "001-01", reviewed(1, correction(Action.MOVED)))
    place = folder / "layers" / "001-01"
    assert sorted(p.name for p in place.iterdir()) == ["A.parquet", "layer.json"]


def test_writing_twice_gives_the_same_bytes(folder, tmp_path):
    for name in ("one", "two"):
        lay(tmp_path / name, "001-01", reviewed(1, correction(Action.ADDED)), reviewed(4))
    files = sorted(p.relative_to(tmp_path / "one") for p in (tmp_path / "one").rglob("*.*"))
    assert len(files) == 2
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()

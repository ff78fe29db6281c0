"""A round corrected without a labelling tool: what is written is what a tool would have written."""

import cv2
import numpy as np
import orjson
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.transforms.labelling.corrections import Corrected, Corrections
from surgqa.transforms.labelling.export import load
from surgqa.transforms.labelling.matching import match
from tests.transforms.labelling.test_formats import SHEET

FORM = "label-studio"


@pytest.fixture
def folder(tmp_path):
    load(FORM).write(SHEET, tmp_path)
    (tmp_path / "images").mkdir()
    for frame in SHEET.frames:
        picture = np.zeros((frame.height, frame.width, 3), np.uint8)
        cv2.imwrite(str(tmp_path / "images" / frame.file), picture)
    return tmp_path


def told(round_, number):
    return round_.frames()[number]


def unchanged(one):
    return [Corrected(box["id"], box["label"], box["box"]) for box in one["boxes"]]


def returned(folder):
    return match(SHEET, load(FORM).read(folder / "tasks.json"))


def test_what_nobody_changed_comes_back_as_it_was(folder):
    round_ = Corrections(folder)
    assert round_.labels == ["grasper", "hook", "cystic_duct"]
    for number in range(3):
        one = told(round_, number)
        assert one["done"] is False
        round_.take(one["file"], unchanged(one), True)
        assert told(round_, number) == one | {"done": True}
    found = returned(folder)
    assert (found.frames.imported, found.boxes.confirmed, found.boxes.moved) == (3, 4, 0)
    tasks = orjson.loads((folder / "tasks.json").read_bytes())
    assert tasks[0]["annotations"][0]["result"] == tasks[0]["predictions"][0]["result"]


def test_boxes_are_moved_named_added_and_taken_away(folder):
    round_ = Corrections(folder)
    grasper, hook, _ = unchanged(told(round_, 0))
    boxes = [
        Corrected(grasper.box_id, "grasper", (0.2, 0.2, 0.4, 0.5)),
        Corrected(hook.box_id, "grasper", hook.box_xyxy),
        Corrected(None, "hook", (0.5, 0.5, 0.6, 0.6)),
    ]
    round_.take(SHEET.frames[0].file, boxes, True)
    again = unchanged(told(round_, 0))
    assert [one.name for one in again] == ["grasper", "grasper", "hook"]
    round_.take(SHEET.frames[0].file, again, True)  # ids of new boxes stay
    books = returned(folder).boxes
    assert (books.moved, books.relabelled, books.added, books.deleted) == (1, 1, 1, 1)


def test_a_picture_that_is_begun_is_not_taken_in(folder):
    round_ = Corrections(folder)
    round_.take(SHEET.frames[0].file, [], True)
    round_.take(SHEET.frames[0].file, [Corrected(None, "hook", (0, 0, 1, 1))], False)
    assert len(told(Corrections(folder), 0)["boxes"]) == 1
    assert returned(folder).frames.imported == 0
    tasks = orjson.loads((folder / "tasks.json").read_bytes())
    assert len(tasks[0]["annotations"]) == 1


def test_shapes_that_are_no_boxes_stay(folder):
    tasks = orjson.loads((folder / "tasks.json").read_bytes())
    shape = {"type": "polygonlabels", "id": "p", "value": {"points": []}}
    theirs = {"result": [shape], "was_cancelled": False}
    tasks[1]["annotations"] = [theirs]
    (folder / "tasks.json").write_bytes(orjson.dumps(tasks))
    round_ = Corrections(folder)
    assert (told(round_, 1)["left"], told(round_, 1)["done"]) == (1, True)
    round_.take(SHEET.frames[1].file, [Corrected(None, "hook", (0, 0, 1, 1))], True)
    written = orjson.loads((folder / "tasks.json").read_bytes())[1]["annotations"]
    assert written[0] == theirs and written[1]["result"][0] == shape


@pytest.mark.parametrize("one", [
    Corrected(None, "spoon", (0, 0, 1, 1)), Corrected(None, "hook", (0, 0, 2, 1)),
    Corrected(None, "hook", (0.5, 0.5, 0.4, 0.6)), Corrected(None, "hook", (0, 0, float("nan"), 1)),
])  # fmt: skip
def test_what_is_no_box_is_refused(folder, one):
    before = (folder / "tasks.json").read_bytes()
    with pytest.raises(ValueError):
        Corrections(folder).take(SHEET.frames[0].file, [one], True)
    with pytest.raises(ValueError):
        Corrections(folder).take("../tasks.json", [], True)
    assert (folder / "tasks.json").read_bytes() == before
    assert Corrections(folder).picture("../tasks.json") is None


def test_a_folder_that_is_no_round_is_told(folder, tmp_path):
    with pytest.raises(SourceMissing, match=r"tasks\.json is missing"):
        Corrections(tmp_path / "images")
    (folder / "config.xml").write_text("<!DOCTYPE a><View/>")
    with pytest.raises(SourceBroken, match=r"config\.xml declares a document type"):
        Corrections(folder)
    (folder / "config.xml").write_text("<View/>")
    (folder / "tasks.json").write_text("[{}]")
    with pytest.raises(SourceBroken, match="not a round"):
        Corrections(folder)

"""Every format gives back what it was given, box by box, and says what it cannot read."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.transforms.labelling.export import FORMATS, format_of, load
from surgqa.transforms.labelling.matching import Action, match
from surgqa.transforms.labelling.sheet import (
    BoxLabel,
    ChangeReason,
    Drawn,
    RoundSheet,
    SheetFrame,
    file_name,
    labels_of,
)
from surgqa.transforms.labelling.view import StoreView
from tests.damage.everywhere import everywhere
from tests.transforms.labelling.conftest import box

LABELS = (
    BoxLabel("grasper", "instrument", "grasper"),
    BoxLabel("hook", "instrument", "hook"),
    BoxLabel("cystic_duct", "tissue", "cystic_duct"),
)
BOXES = (
    Drawn("a" * 16, "instrument", "grasper", (0.1, 0.2, 0.333333, 0.5), 0.9, 4, "full"),
    Drawn("b" * 16, "instrument", "hook", (0.0, 0.0, 1.0, 1.0), 0.3),
    Drawn("c" * 16, "tissue", "cystic_duct", (1 / 3, 2 / 7, 0.9999, 0.98765), None, None, None,
          "intact"),
)  # fmt: skip
SHEET = RoundSheet(
    1,
    LABELS,
    (
        SheetFrame("aaaa_00000007.png", "A", 7_000_000, 7, 854, 480, BOXES, medium=""),
        SheetFrame("bbbb_00000009.png", "B", 9_000_000, 9, 1920, 1080, (), medium=""),
        SheetFrame("cccc_00000001.png", "B", 1_000_000, 1, 64, 48, BOXES[:1], medium=""),
    ),
)
MAIN = {"cvat": "annotations.xml", "label-studio": "tasks.json", "coco": "annotations.json",
        "yolo": ""}  # fmt: skip


def sent_and_returned(form: str, folder: Path, sheet: RoundSheet = SHEET):
    load(form).write(sheet, folder)
    path = folder / MAIN[form] if MAIN[form] else folder
    if form == "label-studio":
        submit(path)
    return match(sheet, load(form).read(path))


def submit(path: Path) -> None:
    """What Label Studio makes of predictions that a person accepted as they are."""
    tasks = json.loads(path.read_text())
    for task in tasks:
        task["annotations"] = [{"result": task["predictions"][0]["result"], "was_cancelled": False}]
    path.write_text(json.dumps(tasks))


@pytest.mark.parametrize("form", FORMATS)
def test_what_nobody_changed_comes_back_confirmed(form, tmp_path):
    found = sent_and_returned(form, tmp_path)
    assert found.rejects == [] and found.not_reviewed == []
    assert [len(one.corrections) for one in found.reviewed] == [3, 0, 1]
    for one in found.reviewed:
        assert {c.action for c in one.corrections} <= {Action.CONFIRMED}
        stays = {c.box.box_id: c.box for c in one.corrections}
        for old in one.frame.boxes:
            assert replace(stays[old.box_id], score=old.score) == old  # to the last bit
    assert found.boxes.confirmed == found.boxes.exported == found.boxes.in_file == 4


@pytest.mark.parametrize("form", FORMATS)
def test_places_are_kept_to_a_ten_thousandth(form, tmp_path):
    made = load(form)
    made.write(SHEET, tmp_path)
    path = tmp_path / MAIN[form] if MAIN[form] else tmp_path
    if form == "label-studio":
        submit(path)
    for one in made.read(path).pictures:
        frame = next(f for f in SHEET.frames if f.file == one.file)
        assert one.size in (None, (frame.width, frame.height))
        for marked, old in zip(one.boxes, frame.boxes, strict=True):
            assert marked.box_xyxy == pytest.approx(old.box_xyxy, abs=1e-4)
            assert marked.name == old.label
            assert marked.box_id in (None, old.box_id)


@pytest.mark.parametrize("form", FORMATS)
def test_two_exports_are_the_same_bytes_and_name_no_video(form, tmp_path):
    texts = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        load(form).write(replace(SHEET, frames=SHEET.frames), folder)
        files = sorted(p for p in folder.rglob("*") if p.is_file())
        texts.append({p.relative_to(folder).as_posix(): p.read_bytes() for p in files})
    assert texts[0] == texts[1]
    secret = replace(
        SHEET, frames=tuple(replace(f, video_id="DOE^JANE 1961") for f in SHEET.frames)
    )
    load(form).write(secret, tmp_path)
    written = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert b"DOE" not in written


def test_names_of_pictures_tell_no_video():
    name = file_name(7, "made", "DOE^JANE 1961")
    assert name.endswith("_00000007.png")
    assert "DOE" not in name and "1961" not in name
    assert name != file_name(7, "made", "DOE^JANE 1962")


def test_formats_are_told_from_the_file(tmp_path):
    for form in FORMATS:
        folder = tmp_path / form
        folder.mkdir()
        load(form).write(SHEET, folder)
        assert format_of(folder / MAIN[form]) == form
    (tmp_path / "x.csv").write_text("")
    with pytest.raises(UserError, match="is not clear"):
        format_of(tmp_path / "x.csv")
    with pytest.raises(SourceMissing, match="is missing"):
        format_of(tmp_path / "gone.xml")
    with pytest.raises(UserError, match="no labelling format"):
        load("voc")


def test_labels_keep_their_numbers_and_new_ones_follow(store):
    rows = [box(1), box(2, "mesh", kind="tissue"), box(3, "hook", kind="tissue")]
    view = StoreView(store({"A": rows}))
    first = labels_of(view)
    terms = [*vocabulary("instruments"), *(t for t in vocabulary("targets") if t != "null_target")]
    assert [one.label for one in first[: len(terms)]] == terms
    assert {one.name for one in first[len(terms) :]} == {"mesh", "tissue_hook"}
    known = [{"kind": "tissue", "label": "nerve"}]
    later = labels_of(view, known)
    assert later[0].label == "nerve" and set(later[1:]) == set(first)


def test_tissues_can_be_drawn_that_no_detector_found(store):
    view = StoreView(store({"A": [box(1)]}))
    found = {one.label: one.kind for one in labels_of(view)}
    assert found["cystic_duct"] == found["gallbladder"] == "tissue"
    assert "null_target" not in found


# CVAT


def cvat(tmp_path: Path) -> ElementTree.Element:
    load("cvat").write(SHEET, tmp_path)
    return ElementTree.parse(tmp_path / "annotations.xml").getroot()


def test_cvat_zip_is_read(tmp_path):
    cvat(tmp_path)
    with zipfile.ZipFile(tmp_path / "task.zip", "w") as box:
        box.write(tmp_path / "annotations.xml", "annotations.xml")
    found = match(SHEET, load("cvat").read(tmp_path / "task.zip"))
    assert found.boxes.confirmed == 4
    (tmp_path / "bad.zip").write_bytes(b"PK no zip")
    with pytest.raises(SourceBroken, match="not a ZIP"):
        load("cvat").read(tmp_path / "bad.zip")


def test_cvat_labels_can_be_given_to_its_editor(tmp_path):
    cvat(tmp_path)
    labels = json.loads((tmp_path / "labels.json").read_text())
    assert [one["name"] for one in labels] == ["grasper", "hook", "cystic_duct", "not_reviewed"]
    assert labels[0]["type"] == "rectangle" and labels[-1]["type"] == "tag"
    assert labels[0]["attributes"][0]["name"] == "surgqa_id"


def test_cvat_tag_says_not_reviewed(tmp_path):
    root = cvat(tmp_path)
    ElementTree.SubElement(root.findall("image")[0], "tag", label="not_reviewed")
    ElementTree.ElementTree(root).write(tmp_path / "a.xml")
    found = match(SHEET, load("cvat").read(tmp_path / "a.xml"))
    assert found.not_reviewed == ["aaaa_00000007.png"]
    assert found.boxes.untouched == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("<annotations>", "is not XML", id="cut"),
        pytest.param("<other/>", "not an export of 'CVAT for images'", id="other"),
        pytest.param("<annotations><track/></annotations>", "tracks of a video task", id="video"),
        pytest.param("<!DOCTYPE a><annotations/>", "document type", id="entities"),
    ],
)
def test_cvat_refuses_what_is_none(tmp_path, text, said):
    (tmp_path / "a.xml").write_text(text)
    with pytest.raises(SourceBroken) as caught:
        load("cvat").read(tmp_path / "a.xml")
    assert said in str(caught.value)


def test_cvat_says_what_is_no_upright_box(tmp_path):
    root = cvat(tmp_path)
    images = root.findall("image")
    ElementTree.SubElement(images[0], "polygon", label="hook", points="1,1;2,2;3,1")
    images[2].find("box").set("rotation", "12.5")
    ElementTree.SubElement(root, "image", id="9")
    ElementTree.ElementTree(root).write(tmp_path / "a.xml")
    found = match(SHEET, load("cvat").read(tmp_path / "a.xml"))
    said = {(one.code, one.outcome, one.reason) for one in found.rejects}
    assert said == {
        (ChangeReason.BAD_SHAPE, "frame", "a polygon"),
        (ChangeReason.BAD_SHAPE, "frame", "a box turned by 12.5 degrees"),
        (ChangeReason.BAD_ROW, "picture", "an image without a name or size"),
    }
    assert found.frames.rejected == 2 and found.frames.balanced and found.boxes.balanced


# Label Studio


def studio(tmp_path: Path) -> list:
    load("label-studio").write(SHEET, tmp_path)
    submit(tmp_path / "tasks.json")
    return json.loads((tmp_path / "tasks.json").read_text())


def studio_import(tmp_path: Path, tasks: object):
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    return match(SHEET, load("label-studio").read(tmp_path / "export.json"))


def test_label_studio_reviews_what_was_submitted(tmp_path):
    tasks = studio(tmp_path)
    tasks[0]["annotations"] = []
    tasks[2]["annotations"][0]["was_cancelled"] = True
    found = studio_import(tmp_path, tasks)
    assert found.not_reviewed == ["aaaa_00000007.png", "cccc_00000001.png"]
    assert [one.frame.file for one in found.reviewed] == ["bbbb_00000009.png"]


def test_label_studio_takes_the_last_annotation_of_a_task(tmp_path):
    tasks = studio(tmp_path)
    tasks[0]["annotations"].append({"result": []})
    assert studio_import(tmp_path, tasks).boxes.deleted == 3


def test_label_studio_knows_uploaded_pictures_again(tmp_path):
    tasks = studio(tmp_path)
    for task in tasks:
        name = task["data"]["image"].split("/")[-1]
        task["data"]["image"] = f"/data/upload/3/0a1b2c3d-{name}"
    assert studio_import(tmp_path, tasks).boxes.confirmed == 4


def test_label_studio_config_has_every_label(tmp_path):
    studio(tmp_path)
    root = ElementTree.parse(tmp_path / "config.xml").getroot()
    for shape in ("RectangleLabels", "KeyPointLabels"):
        labels = root.find(shape).iter("Label")
        assert [one.get("value") for one in labels] == [one.name for one in LABELS]
    assert root.find("Text").get("value") == "$asked"
    assert root.find("RectangleLabels").get("canRotate") == "false"


def test_label_studio_says_what_it_cannot_read(tmp_path):
    tasks = studio(tmp_path)
    result = tasks[0]["annotations"][0]["result"]
    result[0]["value"]["rotation"] = 30
    result[1] = {"type": "brushlabels", "value": {"rle": []}, "id": "x"}
    result[2]["value"].pop("width")
    tasks[2]["annotations"][0]["result"][0]["value"]["rectanglelabels"] = ["grasper", "hook"]
    tasks += ["no task", {"data": {}}]
    found = studio_import(tmp_path, tasks)
    assert [one.code for one in found.rejects].count(ChangeReason.BAD_SHAPE) == 4
    assert [one.code for one in found.rejects].count(ChangeReason.BAD_ROW) == 2
    assert found.frames.rejected == 2 and found.boxes.balanced
    places = [one.where for one in found.rejects if one.code is ChangeReason.BAD_SHAPE]
    assert "export.json: [0].annotations.result[1]" in places


@pytest.mark.parametrize("text", ["{}", "[1", "7"])
def test_label_studio_refuses_what_is_none(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(SourceBroken):
        load("label-studio").read(tmp_path / "a.json")


# COCO


def coco_import(tmp_path: Path, change):
    load("coco").write(SHEET, tmp_path)
    whole = json.loads((tmp_path / "annotations.json").read_text())
    change(whole)
    (tmp_path / "a.json").write_text(json.dumps(whole))
    return match(SHEET, load("coco").read(tmp_path / "a.json"))


def test_coco_without_its_ids_goes_by_place(tmp_path):
    def change(whole):
        for number, one in enumerate(whole["annotations"]):
            one.pop("surgqa_id")
            one["id"] = 900 - number
        whole["categories"].reverse()

    assert coco_import(tmp_path, change).boxes.confirmed == 4


def test_coco_pictures_that_are_taken_out_are_not_reviewed(tmp_path):
    def change(whole):
        whole["images"] = whole["images"][1:]
        whole["annotations"] = [a for a in whole["annotations"] if a["image_id"] != 1]

    found = coco_import(tmp_path, change)
    assert found.not_reviewed == ["aaaa_00000007.png"]


def test_coco_says_what_it_cannot_read(tmp_path):
    def change(whole):
        whole["annotations"][0]["bbox"] = [1, 2, 3]
        whole["annotations"][3]["category_id"] = 77
        whole["annotations"] += [{"id": 1, "image_id": 55, "bbox": [1, 2, 3, 4]}, "x", {}]
        whole["images"] += [{"id": 8}, {**whole["images"][0], "file_name": SHEET.frames[1].file}]

    found = coco_import(tmp_path, change)
    codes = sorted(one.code for one in found.rejects)
    assert codes == ["bad_row", "bad_row", "bad_row", "bad_row", "bad_shape", "unknown_label",
                     "unknown_picture"]  # fmt: skip
    assert found.boxes.in_file == 7 and found.boxes.balanced
    assert found.frames.rejected == 2 and found.frames.balanced


@pytest.mark.parametrize("text", ["[]", '{"images": []}', "{"])
def test_coco_refuses_what_is_none(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(SourceBroken):
        load("coco").read(tmp_path / "a.json")


# YOLO


def test_yolo_files_that_are_deleted_are_not_reviewed(tmp_path):
    load("yolo").write(SHEET, tmp_path)
    (tmp_path / "labels" / "train" / "cccc_00000001.txt").unlink()
    found = match(SHEET, load("yolo").read(tmp_path))
    assert found.not_reviewed == ["cccc_00000001.png"]
    assert len(found.reviewed) == 2


def test_yolo_classes_may_be_in_another_order(tmp_path):
    load("yolo").write(SHEET, tmp_path)
    (tmp_path / "data.yaml").write_text("names: [hook, grasper, cystic_duct]\n")
    found = match(SHEET, load("yolo").read(tmp_path))
    assert found.boxes.relabelled == 3 and found.boxes.confirmed == 1


def test_yolo_classes_from_the_plain_list(tmp_path):
    load("yolo").write(SHEET, tmp_path)
    (tmp_path / "data.yaml").unlink()
    with pytest.raises(UserError, match="names of the classes are missing"):
        load("yolo").read(tmp_path)
    (tmp_path / "classes.txt").write_text("grasper\nhook\ncystic_duct\n")
    assert match(SHEET, load("yolo").read(tmp_path)).boxes.confirmed == 4


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 0.5 0.5 0.1", ChangeReason.BAD_SHAPE),
        ("zero 0.5 0.5 0.1 0.1", ChangeReason.BAD_SHAPE),
        ("0 0.5 0.5 nan 0.1", ChangeReason.BAD_SHAPE),
        ("0 0.1 0.1 0.2 0.2 0.3 0.3 0.4 0.4", ChangeReason.BAD_SHAPE),
        ("9 0.5 0.5 0.1 0.1", ChangeReason.UNKNOWN_LABEL),
        ("0 0.5 0.5 0 0.1", ChangeReason.BAD_BOX),
        ("0 0.99 0.5 0.2 0.1", ChangeReason.OUTSIDE),
    ],
)
def test_yolo_says_what_it_cannot_read(tmp_path, line, code):
    load("yolo").write(SHEET, tmp_path)
    with (tmp_path / "labels" / "train" / "aaaa_00000007.txt").open("a") as file:
        file.write(f"\n{line}\n")
    found = match(SHEET, load("yolo").read(tmp_path))
    assert [(one.code, one.outcome) for one in found.rejects] == [(code, "frame")]
    assert found.rejects[0].where == "labels/train/aaaa_00000007.txt:5"
    assert found.frames.rejected == 1 and found.boxes.balanced


def test_yolo_without_labels(tmp_path):
    with pytest.raises(SourceMissing, match="no label files"):
        load("yolo").read(tmp_path)


# Any of them


@pytest.mark.parametrize("form", ["coco", "label-studio"])
def test_any_value_anywhere_is_met_with_words(form, tmp_path):
    sheet = replace(SHEET, frames=SHEET.frames[2:])
    load(form).write(sheet, tmp_path)
    path = tmp_path / MAIN[form]
    if form == "label-studio":
        submit(path)
    for what, tree in everywhere(json.loads(path.read_text())):
        path.write_text(json.dumps(tree))
        try:
            found = match(sheet, load(form).read(path))
        except UserError:
            continue
        assert found.boxes.balanced and found.frames.balanced, what

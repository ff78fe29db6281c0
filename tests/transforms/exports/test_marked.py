"""Boxes and masks of the evidence for labelling tools, opened as these tools open them."""

from __future__ import annotations

import json
import shutil
from xml.etree import ElementTree

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pycocotools import mask as masks
from pycocotools.coco import COCO

from surgqa.ontology.errors import UserError
from surgqa.ontology.masks import decoded
from surgqa.ontology.rows import EVENTS, REGIONS, VIDEOS
from surgqa.pipeline.cutting import CutRun
from surgqa.pipeline.talks import write_marks
from surgqa.transforms.exports.formats import format_of
from surgqa.transforms.labelling.export import cvat_rle, load
from surgqa.transforms.store import OutputFolder
from tests.transforms.exports.talked import (
    S,
    lines_of,
    second_of,
    store_of,
    write_media,
    write_output,
)

NAMES = ("coco", "cvat", "label-studio", "fiftyone")
INSIDE = np.zeros((48, 96), np.uint8)
INSIDE[10:20, 30:50] = 1
INSIDE[12, 35] = 0
BOX = {"x1": 0.25, "y1": 0.25, "x2": 0.5, "y2": 0.75}


def mask_text(mask):
    return f"48x96:{masks.encode(np.asfortranarray(mask))['counts'].decode()}"


def row(schema, second, **more):
    found = {"dataset": "made", "video_id": "v1", "time_us": second * S, "frame": second}
    return dict.fromkeys(schema.names) | found | more


def write_evidence(out):
    events = [
        row(EVENTS, 2, event_id="2-0", label="hook", score=0.5, **BOX),
        row(EVENTS, 3, event_id="3-none"),
        row(EVENTS, 4, event_id="4-0", label="grasper"),
        row(EVENTS, 5, event_id="5-0", label="hook", **BOX),
    ]  # fmt: skip
    regions = [row(REGIONS, 2, region_id="2-0", kind="structure", label="gallbladder",
                   mask=mask_text(INSIDE))]  # fmt: skip
    video = {"dataset": "made", "video_id": "v1", "media_kind": "frames", "media_path": "v1",
             "fps_num": 1, "fps_den": 1, "first_picture": 0, "width": 96, "height": 48,
             "split": "train"}  # fmt: skip
    tables = {"events": (events, EVENTS), "regions": (regions, REGIONS),
              "videos": ([dict.fromkeys(VIDEOS.names) | video], VIDEOS)}  # fmt: skip
    for name, (rows, schema) in tables.items():
        pq.write_table(pa.Table.from_pylist(rows, schema), out / "evidence" / f"{name}.parquet")


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    desk = tmp_path_factory.mktemp("marked")
    write_output(desk / "out")
    write_evidence(desk / "out")
    write_media(desk / "root")
    return desk


def exported(desk, name, pictures=True):
    to = desk / f"{name}-{pictures}"
    if not to.exists():
        to.mkdir()
        store = store_of(desk / "store", desk / "root") if pictures else None
        table, lost = write_marks(OutputFolder(desk / "out"), format_of(name), to, store, CutRun())
        # Of second 5 there is no picture; the grasper of second 4 has no place.
        assert table[1] == ((2, 2, 2, 1) if pictures else (3, 0, 3, 1)) and len(lost) == 2 - (
            not pictures
        )
    return to


@pytest.mark.parametrize("pictures", [True, False])
def test_coco_opens_it(desk, pictures, capsys):
    to = exported(desk, "coco", pictures)
    found = COCO(str(to / "annotations.json"))
    scale = 64 / 96 if pictures else 1
    by_name = {one["name"]: key for key, one in found.cats.items()}
    assert sorted(by_name) == ["gallbladder", "hook"]
    (masked,) = found.loadAnns(found.getAnnIds(catIds=[by_name["gallbladder"]]))
    frame = found.imgs[masked["image_id"]]
    assert masked["segmentation"]["size"] == [frame["height"], frame["width"]]
    assert masks.area(found.annToRLE(masked)) == masked["area"]
    assert masked["area"] == pytest.approx(INSIDE.sum() * scale**2, rel=0.15)
    if not pictures:
        assert masked["segmentation"]["counts"] == mask_text(INSIDE).partition(":")[2]
    assert masked["bbox"] == pytest.approx(
        [30 * scale, 10 * scale, 20 * scale, 10 * scale], abs=0.01
    )
    empty = [one for key, one in found.imgs.items() if not found.getAnnIds(imgIds=[key])]
    assert len(empty) == 1  # looked at, nothing there
    if pictures:
        for frame, line in zip(found.imgs.values(), lines_of(to / "frames.jsonl"), strict=True):
            shown = cv2.imread(str(to / "images" / frame["file_name"]))
            assert shown.shape[:2] == (frame["height"], frame["width"])
            assert second_of(shown) == line["time_us"] // S and line["video_id"] == "v1"
            assert line["split"] == "train"


def test_cvat_has_boxes_masks_and_labels(desk):
    to = exported(desk, "cvat", False)
    root = ElementTree.parse(to / "annotations.xml").getroot()
    (mask,) = root.iter("mask")
    told = {name: mask.get(name) for name in ("left", "top", "width", "height")}
    assert told == {"left": "30", "top": "10", "width": "20", "height": "10"}
    runs = [int(one) for one in mask.get("rle").split(", ")]
    flat = np.concatenate([np.full(n, k % 2, np.uint8) for k, n in enumerate(runs)])
    assert (flat.reshape(10, 20) == INSIDE[10:20, 30:50]).all()
    labels = {one.findtext("name"): one.findtext("type") for one in root.iter("label")}
    assert labels["gallbladder"] == "any" and mask.get("label") == "gallbladder"
    reading = load("cvat").read(to)
    boxes = [box.box_xyxy for one in reading.pictures for box in one.boxes if box.box_xyxy]
    assert boxes[0] == pytest.approx((0.25, 0.25, 0.5, 0.75), abs=1e-4) and len(boxes) == 3


def test_label_studio_s_tasks(desk):
    to = exported(desk, "label-studio", False)
    tasks = json.loads((to / "tasks.json").read_bytes())
    assert len(tasks) == 3
    (first, second) = tasks[0]["predictions"][0]["result"]
    assert first["value"] == {"x": 25, "y": 25, "width": 25, "height": 50, "rotation": 0,
                              "rectanglelabels": ["hook"]}  # fmt: skip
    assert second["value"]["rectanglelabels"] == ["gallbladder"]
    values = {one.get("value") for one in ElementTree.parse(to / "config.xml").iter("Label")}
    assert values == {"hook", "gallbladder"}


def test_fiftyone_s_documented_schema(desk):
    to = exported(desk, "fiftyone")
    found = json.loads((to / "labels.json").read_bytes())
    assert set(found) == {"classes", "labels"}
    pictures = {path.stem for path in (to / "data").iterdir()}
    assert pictures == set(found["labels"])
    for many in found["labels"].values():
        for one in many:
            assert one["label"] in found["classes"]
            x, y, w, h = one["bounding_box"]
            assert 0 <= x <= x + w <= 1 and 0 <= y <= y + h <= 1
    hook = [one for many in found["labels"].values() for one in many if one["label"] == "hook"]
    assert [one["bounding_box"] for one in hook] == [[0.25, 0.25, 0.25, 0.5]]
    assert hook[0]["confidence"] == 0.5


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "form"), [("coco", "coco_instances"), ("cvat", "cvat")])
def test_datumaro_imports_it(desk, tmp_path, name, form):
    pytest.importorskip("datumaro", reason="'make consumers' installs it")
    from datumaro.components.dataset import Dataset

    folder = tmp_path / name
    shutil.copytree(exported(desk, name), folder)
    if name == "coco":  # Datumaro looks for the file in a folder of this name
        (folder / "annotations").mkdir()
        (folder / "annotations.json").rename(folder / "annotations" / "instances_train.json")
    found = list(Dataset.import_from(str(folder), form))
    assert len(found) == 2
    marked = {type(one).__name__ for item in found for one in item.annotations}
    assert marked & {"Mask", "RleMask", "Polygon"}, marked


def test_what_is_left_out_is_told(desk):
    to = exported(desk, "coco")
    told = {one["time_us"] // S: one["code"] for one in lines_of(to / "left_out.jsonl")}
    assert told == {4: "no_place", 5: "no_picture"}


def test_an_output_without_places(tmp_path):
    write_output(tmp_path / "out")
    write_evidence(tmp_path / "out")
    empty = EVENTS.empty_table(), REGIONS.empty_table()
    for name, table in zip(("events", "regions"), empty, strict=True):
        pq.write_table(table, tmp_path / "out" / "evidence" / f"{name}.parquet")
    with pytest.raises(UserError, match="no box or mask"):
        write_marks(OutputFolder(tmp_path / "out"), format_of("coco"), tmp_path, None, CutRun())


def test_a_mask_at_the_first_pixel_begins_with_a_run_of_none():
    mask = np.zeros((48, 96), np.uint8)
    mask[0:2, 0:3] = 1
    mask[0, 1] = 0
    assert cvat_rle(mask_text(mask), 96, 48)["rle"] == "0, 1, 1, 4"
    assert (decoded(mask_text(mask)) == mask).all()

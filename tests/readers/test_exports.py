"""The reader of labelling tools' exports: what each format can say, and what it must not do.

Figures of the real files were counted with plain loops.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgqa.ontology import masks
from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.ontology.records import Clock, Code, InstrumentTable, MediaKind, VideoEvidence
from surgqa.ontology.yaml import read_yaml
from surgqa.pipeline.cli.contract import problems_of
from surgqa.transforms.labelling.export import FORMATS, load
from surgqa.transforms.labelling.sheet import BoxLabel, Drawn, RoundSheet, SheetFrame
from surgqa.transforms.readers.exports.reader import Reader
from surgqa.transforms.samples.pictures import film, png
from surgqa.transforms.samples.scripted import write_files

SECOND = 1_000_000
WORDS = """
labels:
  instrument: {grasper: grasper, hook: hook}
  structure: {Lens: iris, Cornea: {drop: always there}}
"""


def laid_out(root: Path, files: Mapping[str, Any]) -> Reader:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        (root / name).write_text(text, encoding="utf-8")
    return Reader(root)


def rows(table: InstrumentTable | None) -> list[tuple[int, str, list[float] | None]]:
    assert table is not None
    boxes = [None if np.isnan(box[0]) else box.round(4).tolist() for box in table.box_xyxy]
    frames = table.frames[table.sample].tolist()
    names = [table.labels[code] for code in table.label]
    return list(zip(frames, names, boxes, strict=True))


def balanced(evidence: VideoEvidence) -> bool:
    return all(books.balanced for books in evidence.books)


# What surgqa label exports can be read


LABELS = (BoxLabel("grasper", "instrument", "grasper"), BoxLabel("hook", "instrument", "hook"),
          BoxLabel("cystic_duct", "tissue", "cystic_duct"))  # fmt: skip
SHEET = RoundSheet(1, LABELS, (
    SheetFrame("aaaaaaaaaaaa_00000007.png", "A", 7_000_000, 7, 854, 480, (
        Drawn("a" * 16, "instrument", "grasper", (0.1, 0.2, 0.3333, 0.5), 0.9),
        Drawn("b" * 16, "instrument", "hook", (0.0, 0.0, 1.0, 1.0), 0.3),
        Drawn("c" * 16, "tissue", "cystic_duct", (0.25, 0.5, 0.75, 0.75), None)), medium=""),
    SheetFrame("bbbbbbbbbbbb_00000001.png", "B", 1_000_000, 1, 64, 48, (), medium=""),
    SheetFrame("bbbbbbbbbbbb_00000009.png", "B", 9_000_000, 9, 64, 48, (
        Drawn("d" * 16, "instrument", "grasper", (0.5, 0.25, 0.75, 0.5), 0.9),), medium=""),
))  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
def test_a_round_that_surgqa_exported_is_read(form: str, tmp_path: Path) -> None:
    load(form).write(SHEET, tmp_path)
    if form == "label-studio":  # a person submits the predictions as they are
        tasks = json.loads((tmp_path / "tasks.json").read_text())
        for task in tasks:
            task["annotations"] = [{"result": task["predictions"][0]["result"]}]
        (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    reader = Reader(tmp_path)
    assert reader.videos() == ["aaaaaaaaaaaa", "bbbbbbbbbbbb"]
    one, other = (reader.read(video) for video in reader.videos())
    found = [
        (frame, name, [round(v, 3) for v in box]) for frame, name, box in rows(one.instruments)
    ]
    assert found == [(7, "grasper", [0.1, 0.2, 0.333, 0.5]), (7, "hook", [0.0, 0.0, 1.0, 1.0])]
    assert rows(other.instruments) == [(9, "grasper", [0.5, 0.25, 0.75, 0.5])]
    assert other.instruments.frames.tolist() == [1, 9]
    # The gallbladder's duct is no structure of the ontology: it is named, not guessed.
    assert [entry.code for entry in one.rejected] == [Code.UNKNOWN_LABEL]
    assert balanced(one) and one.books[0].read == 3


def test_predictions_that_nobody_submitted_are_no_labels(tmp_path: Path) -> None:
    load("label-studio").write(SHEET, tmp_path)
    assert Reader(tmp_path).found() == []


# Real files


def test_psi_ava_s_coco_file(real_dataset, tmp_path: Path) -> None:
    path = next((real_dataset("psi-ava")).rglob("val_coco_anns_v3_35s.json"))
    shutil.copy(path, tmp_path / "val.json")
    laid_out(tmp_path, {"surgqa.yaml": "rate: 1\nbase: 1\n"})
    whole = json.loads(path.read_text())
    frames: dict[str, set[int]] = defaultdict(set)
    where, names = {}, {c["id"]: c["name"] for c in whole["categories"]}
    for image in whole["images"]:
        video, _, file = image["file_name"].partition("/")
        frames[video].add(int(file.removesuffix(".jpg")) - 1)
        where[image["id"]] = video
    counts = Counter((where[a["image_id"]], names[a["category_id"]]) for a in whole["annotations"])
    reader = Reader(tmp_path)
    assert reader.videos() == sorted(frames) == ["CASE002", "CASE003", "CASE007", "CASE021"]
    concepts = {"Bipolar Forceps": "bipolar", "Prograsp Forceps": "prograsp_forceps",
                "Large Needle Driver": "large_needle_driver",
                "Monopolar Curved Scissors": "monopolar_curved_scissors",
                "Suction Instrument": "suction_instrument", "Clip Applier": "clipper",
                "Laparoscopic Grasper": "laparoscopic_grasper"}  # fmt: skip
    instants = instances = 0
    for video in reader.videos():
        evidence = reader.read(video)
        table = evidence.instruments
        assert table.frames.tolist() == sorted(frames[video])
        found = Counter(table.labels[code] for code in table.label)
        assert found == {concepts[name]: n for (v, name), n in counts.items() if v == video}
        assert balanced(evidence) and not list(problems_of(evidence))
        assert evidence.video.clock == Clock.TIME and evidence.video.period_us == 35 * SECOND
        instants, instances = instants + len(frames[video]), instances + table.label.size
    assert (instants, instances) == (1029, 2623)


AVOS = """
rate: 15
pictures: "{video}-{frame}.jpg"
classes: [bovie, forceps, needledriver, hand]
labels:
  instrument: {needledriver: needle driver, forceps: forceps, bovie: hook, hand: {drop: no tool}}
"""


def test_avos_s_yolo_files_say_what_its_table_says(real_dataset, tmp_path: Path) -> None:
    source = real_dataset("avos") / "data/new_annotations/test"
    (tmp_path / "labels" / "test").mkdir(parents=True)
    files = sorted(source.glob("*.txt"))
    for file in files:
        shutil.copy(file, tmp_path / "labels" / "test" / file.name)
    laid_out(tmp_path, {"surgqa.yaml": AVOS})
    names = {"needledriver": "needle_driver", "forceps": "forceps", "bovie": "hook"}
    drawn: dict[str, Counter] = defaultdict(Counter)
    with (source / "test_data_emmett_annotations.csv").open(newline="") as table:
        for path, *_corners, name in csv.reader(table):
            stem = path.rsplit("/", 1)[1].removesuffix(".jpg")
            if name in names and (source / f"{stem}.txt").is_file():
                video, _, frame = stem.rpartition("-")
                drawn[video][int(frame), names[name]] += 1
    reader = Reader(tmp_path)
    assert reader.videos() == ["0FHE1jSN3w0", "1YvFWU90eaE"] and len(files) == 20
    for video in reader.videos():
        evidence = reader.read(video)
        assert evidence.instruments.frames.size == 10
        found = Counter((frame, name) for frame, name, _ in rows(evidence.instruments))
        assert found == drawn[video]
        lines = sum(len(f.read_text().splitlines()) for f in files if f.name.startswith(video))
        assert evidence.books[0].read == lines and balanced(evidence)
        assert evidence.instruments.labels == ("forceps", "hook", "needle_driver")


# COCO


def coco(annotations: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    image = {"id": 1, "file_name": "case1/000003.png", "width": 100, "height": 50}
    names = ["grasper", "Lens", "Cornea", "Tube"]
    return {
        "images": [{**image, **more}],
        "categories": [{"id": n, "name": name} for n, name in enumerate(names)],
        "annotations": [{"id": n, "image_id": 1, **one} for n, one in enumerate(annotations)],
    }


def test_polygons_run_lengths_and_tracks(tmp_path: Path) -> None:
    square = [10, 10, 30, 10, 30, 20, 10, 20]
    whole = coco([
        {"category_id": 0, "bbox": [10, 5, 20, 10], "track_id": "left",
         "attributes": {"Occluded": True, "held by": "surgeon"}, "score": 0.5},
        {"category_id": 1, "segmentation": [square]},
        {"category_id": 1, "bbox": [0, 0, 50, 50],
         "segmentation": {"size": [50, 100], "counts": [0, 50, 4950]}},
        {"category_id": 1, "bbox": [60, 0, 50, 50],
         "segmentation": {"size": [50, 100], "counts": [0, 51]}},
        {"category_id": 2, "bbox": [0, 0, 5, 5]}, {"category_id": 3, "bbox": [0, 0, 5, 5]},
        {"category_id": 0, "bbox": [1, 2]}, {"category_id": 9, "bbox": [0, 0, 5, 5]},
    ])  # fmt: skip
    evidence = laid_out(tmp_path, {"surgqa.yaml": WORDS, "a.json": whole}).read("case1")
    tools, parts = evidence.instruments, evidence.regions["structure"]
    assert rows(tools) == [(3, "grasper", [0.1, 0.1, 0.3, 0.3]), (3, "grasper", None)]
    assert tools.track.tolist() == [0, -1] and tools.score.tolist() == [0.5, 1.0]
    held = {one.name: one for one in tools.attributes}
    assert held["held_by"].words == ("surgeon",) and held["occluded"].values[0] == 1
    assert rows(parts) == [(3, "iris", [0.0, 0.0, 0.5, 1.0]), (3, "iris", [0.1, 0.2, 0.3, 0.4]),
                           (3, "iris", [0.6, 0.0, 1.0, 1.0])]  # fmt: skip
    assert [int(masks.decoded(text).sum()) if text else 0 for text in parts.masks] == [50, 200, 0]
    areas = next(one for one in parts.attributes if one.name == "area").values
    assert areas[:2].tolist() == [0.01, 0.04] and np.isnan(areas[2])
    codes = Counter((entry.code, entry.outcome) for entry in evidence.rejected)
    assert codes == {
        (Code.BAD_MASK, "repaired"): 1,
        (Code.BAD_BOX, "repaired"): 2,
        (Code.DROPPED_LABEL, "rejected"): 1,
        (Code.UNKNOWN_LABEL, "rejected"): 2,
    }
    assert balanced(evidence) and evidence.books[0].read == 8


def test_coco_of_videos_names_them(tmp_path: Path) -> None:
    whole = coco([{"category_id": 0, "bbox": [0, 0, 5, 5]}], video_id=7, frame_id=4)
    whole["videos"] = [{"id": 7, "name": "operation"}]
    reader = laid_out(tmp_path, {"a.json": whole})
    assert reader.videos() == ["operation"]
    assert rows(reader.read("operation").instruments) == [(4, "grasper", [0.0, 0.0, 0.05, 0.1])]


def test_one_picture_in_two_files_is_one_instant(tmp_path: Path) -> None:
    one = coco([{"category_id": 0, "bbox": [0, 0, 5, 5]}, {"category_id": 0, "bbox": [0, 0, 5, 5]}])
    other = coco([{"category_id": 1, "bbox": [10, 0, 5, 5]}])
    other["categories"] = other["categories"][1:2]
    other["images"].append({"id": 2, "file_name": "case1/4.png", "width": 100, "height": 50})
    files = {"surgqa.yaml": WORDS, "annotations/a.json": one, "annotations/b.json": other}
    evidence = laid_out(tmp_path, files).read("case1")
    # Only the other file could name structures on frame 4.
    assert evidence.instruments.frames.tolist() == [3]
    assert evidence.regions["structure"].frames.tolist() == [3, 4]
    assert [(e.code, e.where) for e in evidence.rejected] == [
        (Code.BAD_ROW, "annotations/a.json annotations[1]")
    ]
    assert balanced(evidence)


@pytest.mark.parametrize(
    "change",
    [
        lambda w: w["annotations"].append({"image_id": 5}),
        lambda w: w["images"].append(dict(w["images"][0])),
        lambda w: w.update(images="none"),
        lambda w: w["images"][0].pop("file_name"),
    ],
)
def test_coco_that_cannot_be_understood(tmp_path: Path, change) -> None:
    whole = coco([{"category_id": 0, "bbox": [0, 0, 5, 5]}])
    change(whole)
    with pytest.raises(SourceBroken, match="is not valid COCO") as error:
        laid_out(tmp_path, {"a.json": whole}).videos()
    assert (error.value.where or "").startswith("a.json")


# CVAT

SIZE = 'width="100" height="50"'
META = ("<meta><task><size>10</size><source>op.mp4</source><original_size><width>100</width>"
        "<height>50</height></original_size>{more}</task></meta>")  # fmt: skip


def track(*boxes: str, label: str = "grasper") -> str:
    return f'<track id="4" label="{label}">{"".join(boxes)}</track>'


def key(frame: int, left: int, more: str = "") -> str:
    return f'<box frame="{frame}" xtl="{left}" ytl="0" xbr="{left + 20}" ybr="25" {more}/>'


def cvat_film(
    tmp_path: Path, tracks: str, more: str = "", mapping: str = "rate: 5"
) -> VideoEvidence:
    text = f"<annotations>{META.format(more=more)}{tracks}</annotations>"
    return laid_out(tmp_path, {"surgqa.yaml": mapping, "annotations.xml": text}).read("op")


def test_tracks_are_interpolated_between_keyframes_until_they_leave(tmp_path: Path) -> None:
    keys = (key(2, 10), key(4, 30), key(6, 30, 'outside="1"'), key(8, 50))
    evidence = cvat_film(tmp_path, track(*keys))
    table = evidence.instruments
    lefts = [(frame, box[0]) for frame, _, box in rows(table)]
    assert lefts == [(2, 0.1), (3, 0.2), (4, 0.3), (5, 0.3), (8, 0.5), (9, 0.5)]
    assert table.frames.tolist() == list(range(10)) and set(table.track.tolist()) == {4}
    assert table.box_origin == "interpolated"
    marks = next(one for one in table.attributes if one.name == "keyframe").values
    assert marks.tolist() == [1, 0, 1, 0, 1, 0]
    assert evidence.books[0].read == evidence.books[0].kept == 3
    assert evidence.video.duration_us == 2 * SECOND and evidence.video.clock == Clock.TIME


def test_frames_that_cvat_wrote_out_are_taken_as_they_are(tmp_path: Path) -> None:
    boxes = [key(frame, 10 + frame, f'keyframe="{int(frame == 2)}"') for frame in (2, 3, 4)]
    table = cvat_film(tmp_path, track(*boxes, key(5, 14, 'outside="1"'))).instruments
    assert [(frame, box[0]) for frame, _, box in rows(table)] == [(2, 0.12), (3, 0.13), (4, 0.14)]
    assert table.box_origin == "interpolated"
    drawn = cvat_film(tmp_path, track(key(2, 10), key(3, 10, 'outside="1"'))).instruments
    assert drawn.box_origin == "manual" and drawn.attributes == ()


def test_a_task_of_every_third_frame(tmp_path: Path) -> None:
    more = (
        "<start_frame>1</start_frame><stop_frame>9</stop_frame><frame_filter>step=3</frame_filter>"
    )
    evidence = cvat_film(tmp_path, track(key(1, 10), key(7, 40)), more)
    assert evidence.instruments.frames.tolist() == [1, 4, 7]
    assert [(frame, box[0]) for frame, _, box in rows(evidence.instruments)] == [
        (1, 0.1), (4, 0.25), (7, 0.4)]  # fmt: skip
    assert evidence.video.period_us == 600_000


@pytest.mark.parametrize(("stated", "rendered"), [(10, None), (100, 10)], ids=["export", "video"])
def test_what_lies_outside_the_video_is_rejected(
    tmp_path: Path, stated: int, rendered: int | None
) -> None:
    if rendered:
        (tmp_path / "op.mp4").write_bytes(film(rendered, 5))
    more = f"<stop_frame>{stated - 1}</stop_frame>"
    evidence = cvat_film(tmp_path, track(key(2, 10), key(9, 30), key(12, 50)), more,
                         'rate: 5\nmedia: "{video}.mp4"')  # fmt: skip
    frames = evidence.instruments.frames[evidence.instruments.sample]
    assert (frames.max(), evidence.video.duration_us) == (9, 2 * SECOND)
    assert [(e.code, e.where) for e in evidence.rejected] == [(Code.BAD_FRAME, "annotations.xml:1")]
    assert balanced(evidence) and evidence.books[0].kept == 2


def test_shapes_of_pictures_in_cvat(tmp_path: Path) -> None:
    text = f"""<annotations><image id="0" name="op_0004.png" {SIZE}>
<polygon label="Lens" points="10,10;30,10;30,20;10,20"/>
<mask label="Lens" rle="1, 2, 1" left="50" top="10" width="2" height="2"/>
<mask label="Lens" rle="9" left="50" top="10" width="2" height="2"/>
<polyline label="hook" points="1,1;2,2"/>
<box label="grasper" xtl="10" ytl="nan" xbr="30" ybr="20"/>
<box label="Cornea" xtl="10" ytl="0" xbr="30" ybr="20"/>
</image></annotations>"""
    evidence = laid_out(tmp_path, {"surgqa.yaml": WORDS, "annotations.xml": text}).read("op")
    parts = evidence.regions["structure"]
    small = (4, "iris", [0.5, 0.2, 0.52, 0.24])
    assert rows(parts) == [(4, "iris", [0.1, 0.2, 0.3, 0.4]), small, small]
    filled = [masks.decoded(text) if text else None for text in parts.masks]
    sums = sorted(int(mask.sum()) if mask is not None else 0 for mask in filled)
    assert sums == [0, 2, 200]
    checked = next(mask for mask in filled if mask is not None and mask.sum() == 2)
    assert np.argwhere(checked).tolist() == [[10, 51], [11, 50]]
    assert rows(evidence.instruments) == [(4, "grasper", None), (4, "hook", None)]
    assert evidence.video.clock == Clock.ORDER and balanced(evidence)


BOMB = """<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;">]>
<annotations>&d;</annotations>"""
FILE = """<?xml version="1.0"?>
<!DOCTYPE a SYSTEM "file:///etc/passwd"><annotations></annotations>"""


@pytest.mark.parametrize("text", [BOMB, FILE], ids=["billion-laughs", "external"])
@pytest.mark.parametrize("coding", ["utf-8", "utf-16"])
def test_documents_with_entities_are_refused_in_every_encoding(
    tmp_path: Path, text: str, coding: str
) -> None:
    (tmp_path / "annotations.xml").write_bytes(text.encode(coding))
    with pytest.raises(SourceBroken, match="document type") as error:
        Reader(tmp_path).videos()
    assert (error.value.where or "").startswith("annotations.xml:")


# Label Studio


def studio(result: list[dict[str, Any]], **data: str) -> list[dict[str, Any]]:
    return [{"id": 1, "data": data, "annotations": [{"result": result}]}]


def test_a_video_of_label_studio_counts_from_1_and_knows_its_rate(tmp_path: Path) -> None:
    keys = [{"frame": f, "x": x, "y": 0, "width": 20, "height": 50, "enabled": on}
            for f, x, on in ((1, 0, True), (3, 20, False), (8, 50, True))]  # fmt: skip
    whole = studio([
        {"id": "q", "type": "videorectangle", "value": {"sequence": keys, "framesCount": 10,
                                                        "duration": 2.0}},
        {"id": "q", "type": "labels", "value": {"labels": ["hook"]}},
        {"id": "z", "type": "timelinelabels", "value": {"timelinelabels": ["Prep"]}},
    ], video="/data/upload/3/12345678-op.mp4")  # fmt: skip
    evidence = laid_out(tmp_path, {"tasks.json": whole}).read("op")
    assert [(frame, box[0]) for frame, _, box in rows(evidence.instruments)] == [
        (0, 0.0), (1, 0.1), (2, 0.2), (7, 0.5), (8, 0.5), (9, 0.5)]  # fmt: skip
    assert (evidence.video.fps, evidence.video.duration_us) == (5, 2 * SECOND)
    assert [e.code for e in evidence.rejected] == [Code.DROPPED_LABEL]
    assert balanced(evidence) and evidence.books[0].read == 4


def test_pictures_of_label_studio(tmp_path: Path) -> None:
    size = {"original_width": 100, "original_height": 50}
    points = [[10, 20], [30, 20], [30, 40], [10, 40]]
    box = {"x": 10, "y": 20, "width": 20, "height": 20}
    whole = studio([
        {"type": "polygonlabels", **size, "value": {"points": points, "polygonlabels": ["Lens"]}},
        {"type": "rectanglelabels", **size, "value": {**box, "rectanglelabels": ["hook"]}},
        {"type": "rectanglelabels", **size, "value": {**box, "rotation": 9,
                                                      "rectanglelabels": ["hook"]}},
        {"type": "choices", "value": {"choices": ["clear"]}},
    ], image="/data/local-files/?d=op/0004.png")  # fmt: skip
    evidence = laid_out(tmp_path, {"surgqa.yaml": WORDS, "tasks.json": whole}).read("op")
    parts = evidence.regions["structure"]
    assert rows(parts) == [(4, "iris", [0.1, 0.2, 0.3, 0.4])]
    assert masks.decoded(parts.masks[0]).sum() == 200
    assert rows(evidence.instruments) == [(4, "hook", [0.1, 0.2, 0.3, 0.4]), (4, "hook", None)]
    assert evidence.books[0].read == evidence.books[0].kept == 3


# YOLO


def test_every_line_of_yolo(tmp_path: Path) -> None:
    lines = [
        "0 0.5 0.5 0.2 0.4",
        "1 0.5 0.5 0.2 0.4 0.75",
        "1 0.1 0.2 0.3 0.2 0.3 0.4 0.1 0.4",
        "7 0.5 0.5 0.2 0.4",
        "1 0.5 0.5",
        "x 0.5 0.5 0.2 0.4",
        "0 0.95 0.5 0.2 0.4",
    ]
    files = {"data.yaml": "train: images\nnames: [grasper, Lens]\n", "surgqa.yaml": WORDS,
             "labels/case-7.txt": "\n".join(lines)}  # fmt: skip
    laid_out(tmp_path, files)
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "case-7.png").write_bytes(png(np.zeros((50, 100, 3), np.uint8)))
    evidence = Reader(tmp_path).read("case")
    assert rows(evidence.instruments) == [(7, "grasper", [0.4, 0.3, 0.6, 0.7]),
                                          (7, "grasper", [0.85, 0.3, 1.0, 0.7])]  # fmt: skip
    parts = evidence.regions["structure"]
    assert rows(parts) == [(7, "iris", [0.1, 0.2, 0.3, 0.4]), (7, "iris", [0.4, 0.3, 0.6, 0.7]),
                           (7, "iris", None)]  # fmt: skip
    assert masks.decoded(parts.masks[0]).sum() == 200 and parts.score[1] == 0.75
    assert [(e.code, e.where) for e in evidence.rejected if e.outcome == "rejected"] == [
        (Code.UNKNOWN_LABEL, "labels/case-7.txt:4"),
        (Code.UNKNOWN_LABEL, "labels/case-7.txt:6"),
    ]
    assert balanced(evidence)


def test_classes_that_nothing_names(tmp_path: Path) -> None:
    files = {"surgqa.yaml": "files: labels/*.txt\n", "labels/a_1.txt": "0 0.5 0.5 0.2 0.4\n"}
    reader = laid_out(tmp_path, files)
    with pytest.raises(SourceMissing, match="names of the classes are unknown"):
        reader.read("a")
    (tmp_path / "data.yaml").write_text("names: {0: grasper, 2: hook}\n")
    with pytest.raises(SourceBroken, match="contains no names of classes"):
        Reader(tmp_path).read("a")
    (tmp_path / "data.yaml").write_text("names: {1: grasper, 0: hook}\n")
    assert rows(Reader(tmp_path).read("a").instruments) == [(1, "hook", [0.4, 0.3, 0.6, 0.7])]


# Whose picture it is


@pytest.mark.parametrize(
    ("path", "video", "frame"),
    [
        ("case1/000012.png", "case1", 12), ("case1/frame_000012.jpg", "case1", 12),
        ("images/train/case1_000012.png", "case1", 12), ("case-1-12.png", "case-1", 12),
        ("C:\\pictures\\case1\\12.PNG", "case1", 12), ("polyp.png", "polyp", None),
        ("images/0012.png", "0012", None), ("case.1_frame12.png", "case.1", 12),
    ],
)  # fmt: skip
def test_usual_names_of_pictures(tmp_path: Path, path: str, video: str, frame: int | None) -> None:
    whole = coco([{"category_id": 0, "bbox": [0, 0, 5, 5]}], file_name=path)
    reader = laid_out(tmp_path, {"a.json": whole})
    assert reader.videos() == [video]
    evidence = reader.read(video)
    assert evidence.video.clock == (Clock.WHOLE if frame is None else Clock.ORDER)
    assert evidence.instruments.frames.tolist() == [frame or 0]
    timed = Reader(tmp_path, rate=Fraction(4)).read(video)
    assert timed.instruments.instants_us.tolist() == [(frame or 0) * 250_000]


def test_a_pattern_tells_video_frame_and_patient(tmp_path: Path) -> None:
    mapping = 'base: 1\nrate: 2\npictures: "{patient}/{video}/shot {frame} *.png"\n'
    path = "P7/left eye/shot 003 (copy).png"
    whole = coco([{"category_id": 0, "bbox": [0, 0, 5, 5]}], file_name=path)
    evidence = laid_out(tmp_path, {"surgqa.yaml": mapping, "a.json": whole}).read("left eye")
    assert evidence.instruments.frames.tolist() == [2]
    assert evidence.instruments.instants_us.tolist() == [SECOND]
    assert evidence.video.split_group == "exports/P7"
    laid_out(tmp_path, {"surgqa.yaml": mapping.replace("shot", "still")})
    with pytest.raises(SourceBroken, match="does not state the video") as error:
        Reader(tmp_path).videos()
    assert error.value.where == "a.json images[0]"


def test_a_still_is_shown_where_it_lies(tmp_path: Path) -> None:
    laid_out(tmp_path, {"a.json": coco([], file_name="polyp.png")})
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "polyp.png").write_bytes(png(np.zeros((50, 100, 3), np.uint8)))
    media = Reader(tmp_path).read("polyp").video.media
    assert (media.kind, media.path, media.width) == (MediaKind.IMAGE, "images/polyp.png", 100)


# Words and mistakes


def test_an_unknown_name_is_rejected_once_a_file_with_near_ones(tmp_path: Path) -> None:
    whole = coco([{"category_id": 3, "bbox": [n, 0, 5, 5]} for n in range(3)])
    whole["categories"][3]["name"] = "Graspper"
    evidence = laid_out(tmp_path, {"surgqa.yaml": WORDS, "a.json": whole}).read("case1")
    assert [(e.code, e.count, e.where) for e in evidence.rejected] == [
        (Code.UNKNOWN_LABEL, 3, "a.json annotations[0]")
    ]
    assert "near: grasper" in evidence.rejected[0].reason
    assert evidence.instruments.sample.size == 0 and balanced(evidence)


@pytest.mark.parametrize(
    ("mapping", "where", "fix"),
    [
        ("rates: 25\n", "surgqa.yaml:1", "did you mean rate?"),
        ("rate: 25\nlabels: {phase: same}\n", "surgqa.yaml:2", ""),
        ("labels:\n  instrument:\n    A: graspper\n", "surgqa.yaml:3", "did you mean grasper"),
        ("pictures: '{case}_{frame}.png'\n", "surgqa.yaml:1", ""),
        ("files: [a.json, ../b.json]\n", "surgqa.yaml:1", ""),
        ("", "surgqa.yaml:1", "see docs/your_data.md"),
    ],
)
def test_mistakes_in_the_mapping(tmp_path: Path, mapping: str, where: str, fix: str) -> None:
    reader = laid_out(tmp_path, {"surgqa.yaml": mapping, "a.json": coco([])})
    with pytest.raises(UserError) as error:
        reader.videos()
    assert error.value.where == where
    assert fix in (error.value.fix or "")


def test_files_of_other_formats_are_passed_over_unless_they_are_named(tmp_path: Path) -> None:
    files = {"a.json": coco([]), "package.json": {"name": "x"}, "list.json": [1], "b.xml": "<a/>"}
    reader = laid_out(tmp_path, files)
    assert reader.videos() == ["case1"]
    laid_out(tmp_path, {"surgqa.yaml": "files: '*.json'\n"})
    with pytest.raises(SourceBroken, match="unknown format"):
        Reader(tmp_path).videos()


LAYOUTS = Path(__file__).parent / "layouts" / "exports.yaml"


@pytest.mark.parametrize("number", range(6))
def test_damage_to_every_format(number: int, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    write_files(whole, read_yaml(LAYOUTS.read_text(), LAYOUTS.name).data[number]["files"])
    refused = tried = 0
    for path in sorted(p for p in whole.rglob("*") if p.is_file() and p.name != "surgqa.yaml"):
        data = path.read_bytes()
        for change in (
            data[: len(data) // 2], data[: len(data) - 9], data.replace(b"1", b"-1"),
            data.replace(b"2", b"1e999"), data.replace(b"0", b"99999999999999999999"),
            data.replace(b"1", b"19999"), data.replace(b"0", b"x"), data.replace(b"0", b""),
            data[len(data) // 2 :], b"", data + data, data.replace(b'"', b"'", 4),
        ):  # fmt: skip
            path.write_bytes(change)
            tried += 1
            reader = Reader(whole)
            try:
                found = [reader.read(video) for video in reader.videos()]
            except UserError as error:
                refused += 1
                assert error.where or error.fix
                continue
            for evidence in found:
                assert not list(problems_of(evidence))
                refused += bool(evidence.rejected)
        path.write_bytes(data)
    assert tried >= 12 and refused >= tried // 4

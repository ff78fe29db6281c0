"""Write small samples of exports of labelling tools, with a mapping; all data are made up.

Each format has its own videos.  Boxes of the COCO file are those of ``readers.base.scene``, on a
grid of 1/64.  Other formats contain few boxes, but all features that only the format has.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from surgqa.ontology.records import (
    Attribute,
    Books,
    Clock,
    Code,
    InstrumentTable,
    Rejected,
    Source,
    VideoEvidence,
)
from surgqa.ontology.times import frame_to_us
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.exports.sample import (
    HEIGHT,
    WIDTH,
    Told,
    write_film,
    write_images,
    write_sequence,
    write_tasks,
)
from surgqa.transforms.readers.base.sample import Instance, put, true_table, true_video
from surgqa.transforms.readers.base.scene import FULL_SECONDS, Second, seconds_of

OURS = {"Grasper 5mm": "grasper", "Bipolar": "bipolar", "L-Hook": "hook", "Scissors": "scissors",
        "Clip applier": "clipper", "Suction": "irrigator"}  # fmt: skip
"""Names of instruments in the made-up hospital, and their concepts."""
NAMES = {concept: word for word, concept in OURS.items()}
RATE = Fraction(2)


def write(
    root: Path, *, procedures: int = 2, seconds: int = FULL_SECONDS, variant: int = 0
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos of each format, 1 to 10.
        seconds: maximum number of annotated seconds of each COCO video, 1 to 58.
        variant: 0 writes all formats with a mapping; each other one writes one format, and every
            second of these has no mapping and no rate, but names of the ontology.
    """
    formats = tuple(FORMATS) if not variant else (list(FORMATS)[variant % 6],)
    mapped = variant % 2 == 0
    words = NAMES if mapped else {concept: concept for concept in NAMES}
    sources = [put(root, "surgqa.yaml", _mapping(formats))] if mapped else []
    videos: list[Told] = []
    shared: dict[str, Source] = {}
    for name in formats:
        cases, files = FORMATS[name](root, words, procedures, seconds)
        if name == "film" and mapped:
            _own_folder(root, cases, files)
        videos += cases
        shared |= {file.path: file for file in files}
    everyones = [shared[path] for path in sorted(shared) if path != "classes.txt"]
    evidence = []
    for told in sorted(videos, key=lambda one: one.video_id):
        classes = [shared["classes.txt"]] if told.video_id.startswith("yolo") else []
        used = (*sources, *everyones, *classes, *told.own)
        evidence.append(_truth(told, tuple(used), mapped))
    return Truth(tuple(evidence))


FILES = {
    "coco": "annotations/coco.json", "yolo": "labels/train/*.txt",
    "images": "annotations/images.xml", "film": "films/{video}.xml",
    "tasks": "annotations/tasks.json", "sequence": "annotations/videos.json",
}  # fmt: skip


def _own_folder(root: Path, cases: list[Told], files: list[Source]) -> None:
    """Move files that contain one video each to a separate folder, which the mapping names."""
    for told, source in zip(cases, files, strict=True):
        told.pointer = f"films/{told.video_id}.xml"
        told.own.append(put(root, told.pointer, (root / source.path).read_bytes()))
        (root / source.path).unlink()
    files.clear()


def _mapping(formats: tuple[str, ...]) -> bytes:
    files = ", ".join(f'"{FILES[name]}"' for name in formats)
    words = "".join(f"    {word}: {concept},\n" for word, concept in OURS.items())
    return f"""# How a made-up hospital names things.
procedure: laparoscopic cholecystectomy
specialty: general surgery
licence: made up, free to use
files: [{files}]
rate: {RATE}
labels:
  instrument: {{
{words}    Trocar: {{drop: nothing is asked about it}} }}
""".encode()


def _grid(second: Second) -> list[tuple[str, tuple[int, int, int, int]]]:
    """Instruments of a second, with their corners in 64ths."""
    out = []
    for seen in second.seen:
        x, y, w, h = seen.box_xywh
        corners = (int(x * 64), int(y * 64), int((x + w) * 64) + 1, int((y + h) * 64) + 1)
        out.append((seen.instrument, corners))
    return out


def _boxed(
    annotations: list[dict[str, Any]], image: int, category: int, tool: str, row: int,
    corners: tuple[int, int, int, int], told: Told, path: str,
) -> Instance:  # fmt: skip
    """Write one box; return the instance that a reader must find in it."""
    x1, y1, x2, y2 = corners
    x, y, w, h = x1 * 10, y1 * 8, (x2 - x1) * 10, (y2 - y1) * 8
    entry: dict[str, Any] = {
        "id": len(annotations) + 1, "image_id": image, "category_id": category,
        "bbox": [x, y, w, h], "iscrowd": 0, "area": w * h, "track_id": row + 1,
        "attributes": {"occluded": row > 0},
    }  # fmt: skip
    mask, more = "", {"occluded": float(row > 0)}
    if row == 0 and len(told.instants) == 0:
        entry["segmentation"], mask, more["area"] = _masked(x, y, w, h)
    if x2 > 64 or y2 > 64:
        told.left(Code.BAD_BOX, f"{path} annotations[{len(annotations)}]", outcome="repaired")
    annotations.append(entry)
    true = (x / WIDTH, y / HEIGHT, min((x + w) / WIDTH, 1.0), min((y + h) / HEIGHT, 1.0))
    return Instance(tool, true, None, row, row + 1, mask, more)


def _coco(
    root: Path, words: dict[str, str], procedures: int, seconds: int
) -> tuple[list[Told], list[Source]]:
    """Boxes in every frame; the first shape of a video has a mask, and one label is unknown."""
    path = "annotations/coco.json"
    ids = {concept: number for number, concept in enumerate(sorted(words), 1)}
    categories = [{"id": ids[key], "name": words[key], "supercategory": ""} for key in ids]
    categories.append({"id": 99, "name": "zz unheard of", "supercategory": ""})
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    videos = []
    for case in range(procedures):
        told = Told(f"arm_{case + 1:02d}", path)
        for second in seconds_of(told.video_id, seconds):
            file = f"{told.video_id}/{second.number * 2:05d}.png"
            images.append({"id": len(images) + 1, "file_name": file, "width": WIDTH,
                           "height": HEIGHT})  # fmt: skip
            instances = [
                _boxed(annotations, len(images), ids[tool], tool, row, corners, told, path)
                for row, (tool, corners) in enumerate(_grid(second))
            ]
            told.instants[second.number * 2] = instances
        if told.instants:
            annotations.append({"id": len(annotations) + 1, "image_id": len(images),
                                "category_id": 99, "bbox": [1, 1, 9, 9]})  # fmt: skip
            where = f"{path} annotations[{len(annotations) - 1}]"
            told.rejected.insert(0, Rejected("read", f"exports/{told.video_id}",
                                             Code.UNKNOWN_LABEL, "", where))  # fmt: skip
        told.gap = 2 if len(told.instants) > 1 else 1
        videos.append(told)
    whole = {"images": images, "annotations": annotations, "categories": categories}
    return videos, [put(root, path, json.dumps(whole).encode())]


def _masked(x: int, y: int, w: int, h: int) -> tuple[dict[str, Any], str, float]:
    """The left half of a box as uncompressed run lengths, the expected mask, and its area."""
    from pycocotools import mask as coco

    pixels = np.zeros((HEIGHT, WIDTH), dtype=np.uint8)
    pixels[y : y + h, x : x + w // 2] = 1
    counts, last = [0], 0
    for value in pixels.T.reshape(-1).tolist():
        if value != last:
            counts.append(0)
            last = value
        counts[-1] += 1
    text = coco.encode(np.asfortranarray(pixels))["counts"].decode()
    area = float(pixels.sum()) / (WIDTH * HEIGHT)
    return {"size": [HEIGHT, WIDTH], "counts": counts}, f"{HEIGHT}x{WIDTH}:{text}", area


def _yolo(
    root: Path, words: dict[str, str], procedures: int, seconds: int
) -> tuple[list[Told], list[Source]]:
    """Three images per video: two boxes, no box, and a polygon whose image does not exist."""
    order = sorted(words)
    names = "".join(f"{words[key]}\n" for key in order)
    videos = []
    for case in range(procedures):
        told = Told(f"yolo_{case + 1:02d}", "")
        hook, grasper = order.index("hook"), order.index("grasper")
        texts = (f"{hook} 0.5 0.25 0.25 0.125\n{grasper} 0.25 0.75 0.5 0.25\n", "",
                 f"{hook} 0.5 0.5 0.75 0.5 0.75 0.875\n")  # fmt: skip
        for number, text in enumerate(texts):
            name = f"labels/train/{told.video_id}_{number * 4:06d}.txt"
            told.own.append(put(root, name, text.encode()))
        told.pointer = f"{told.own[0].path} and 2 more"
        told.instants = {
            0: [Instance("hook", (0.375, 0.1875, 0.625, 0.3125), None, 0),
                Instance("grasper", (0.0, 0.625, 0.5, 0.875), None, 1)],
            4: [],
            8: [Instance("hook", (0.5, 0.5, 0.75, 0.875), None, 0)],
        }  # fmt: skip
        told.gap = 4
        videos.append(told)
    return videos, [put(root, "classes.txt", names.encode())]


FORMATS: dict[str, Callable[..., tuple[list[Told], list[Source]]]] = {
    "coco": _coco, "yolo": _yolo, "images": write_images, "film": write_film,
    "tasks": write_tasks, "sequence": write_sequence,
}  # fmt: skip


def _truth(told: Told, sources: tuple[Source, ...], mapped: bool) -> VideoEvidence:
    """The expected evidence of one video."""
    films = told.video_id.startswith(("film", "view"))
    timed = mapped or told.video_id.startswith("view")
    rate = RATE if timed else Fraction(1)
    frames = sorted(told.instants)
    period = frame_to_us(told.gap, rate)
    end = told.end if told.end is not None else frames[-1] + told.gap
    end_us = frame_to_us(end, rate)
    if films:
        end_us = frame_to_us(len(frames), rate)
    labels = tuple(sorted(NAMES))
    if told.video_id.startswith(("task", "view")):
        # These files list no labels, so only labels that occur are known to be annotated.
        labels = ("clipper",) if told.video_id.startswith("task") else ("irrigator",)
    pointer = f"{told.pointer}, frame {{frame}}, shape {{row}}"
    seen = [told.instants[frame] for frame in frames]
    times = [frame_to_us(frame, rate) for frame in frames]
    table = true_table(times, frames, seen, labels, pointer)
    if told.between:
        table = _marked(table, told, frames)
    shapes = sum(map(len, seen)) - len(told.between)
    gone = sum(one.count for one in told.rejected if one.outcome == "rejected")
    video = true_video(
        "exports", told.video_id, "laparoscopic cholecystectomy" if mapped else "not stated",
        "general surgery" if mapped else "not stated",
        "made up, free to use" if mapped else "not stated", sources, fps=rate, period_us=period,
        duration_us=end_us, split_group=f"exports/{told.video_id}", vocabulary=labels,
        clock=Clock.TIME if timed else Clock.ORDER,
    )  # fmt: skip
    books = (Books("read", "shapes", shapes + gone, shapes, gone),)
    return VideoEvidence(video, table, (), tuple(told.rejected), books)


def _marked(table: InstrumentTable, told: Told, frames: list[int]) -> InstrumentTable:
    """The expected table, with a column that marks boxes between keyframes."""
    values = [float((frames[sample], 0) not in told.between) for sample in table.sample.tolist()]
    column = Attribute("keyframe", np.array(values, dtype=np.float64))
    return replace(table, box_origin="interpolated", attributes=(column, *table.attributes))

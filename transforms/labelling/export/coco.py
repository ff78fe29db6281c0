"""COCO object detection: ``annotations.json``.

Every image in the file counts as reviewed; remove images from ``images`` that nobody has reviewed.
A box has its id in an extra field, which some tools drop; the box is then identified by its
position.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from surgqa.ontology.errors import SourceBroken, SyntaxBroken
from surgqa.ontology.files import read_bytes
from surgqa.ontology.guarded import as_id
from surgqa.transforms.labelling.export import coco_mask
from surgqa.transforms.labelling.sheet import (
    ChangeReason,
    Returned,
    ReturnedBox,
    ReturnedFile,
    RoundSheet,
    in_parts,
    in_pixels,
)

PICTURES = "images"
FILE = "annotations.json"
ID = "surgqa_id"
MASKED = True
HINT = "open images/ and annotations.json in a tool that knows COCO, correct, and export COCO"
DECIMALS = 4


def write(sheet: RoundSheet, folder: Path) -> None:
    """``annotations.json``; numbers start at 1, categories are in the project's order."""
    annotations: list[dict[str, Any]] = []
    for number, frame in enumerate(sheet.frames, 1):
        for one in frame.boxes:
            x1, y1, x2, y2 = in_pixels(one.box_xyxy, frame)
            bbox = [round(v, DECIMALS) for v in (x1, y1, x2 - x1, y2 - y1)]
            annotations.append({
                "id": len(annotations) + 1, "image_id": number,
                "category_id": sheet.number(one.kind, one.label) + 1, "bbox": bbox,
                "area": round(bbox[2] * bbox[3], DECIMALS), "iscrowd": 0, "segmentation": [],
                **({} if one.score is None else {"score": one.score}), ID: one.box_id,
                **(coco_mask(one.mask, frame.width, frame.height) if one.mask else {}),
            })  # fmt: skip
    whole = {
        "info": {"description": f"surgqa round {sheet.round}"},
        "images": [
            {"id": n, "file_name": f.file, "width": f.width, "height": f.height}
            for n, f in enumerate(sheet.frames, 1)
        ],
        "categories": [
            {"id": n, "name": one.name, "supercategory": one.kind}
            for n, one in enumerate(sheet.labels, 1)
        ],
        "annotations": annotations,
    }
    (folder / FILE).write_bytes(orjson.dumps(whole, option=orjson.OPT_INDENT_2))


def read(path: Path) -> ReturnedFile:
    """Return the frames of a COCO file, or of a folder with ``annotations.json``.

    Raises:
        SourceBroken: not COCO.
    """
    path = path / FILE if path.is_dir() else path
    whole = _whole(path)
    reading = ReturnedFile()
    names = {
        as_id(one.get("id")): str(one.get("name"))
        for one in whole["categories"]
        if isinstance(one, Mapping)
    }
    boxes = _by_image(whole["annotations"], path.name, reading)
    known = set()
    for number, image in enumerate(whole["images"]):
        where = f"{path.name}: images[{number}]"
        found = _image(image)
        if found is None or found[0] in known:
            reason = "an image without name, size or id" if found is None else "an id used before"
            reading.reject(ChangeReason.BAD_ROW, reason, where, "picture")
            continue
        key, file, size = found
        known.add(key)
        mine = boxes.get(key, [])
        marked = tuple(_marked(entry, names, size, place) for entry, place in mine)
        reading.pictures.append(Returned(file, size, True, marked, where))
    for key in sorted(set(boxes) - known, key=str):
        for _, place in boxes[key]:
            reading.reject(ChangeReason.UNKNOWN_PICTURE, f"no image has the id {key}", place, "box")
    return reading


def _whole(path: Path) -> dict[str, Any]:
    try:
        whole = orjson.loads(read_bytes(path, path.name))
    except orjson.JSONDecodeError as error:
        raise SyntaxBroken(f"{path.name} is not JSON", found=str(error), where=str(path)) from None
    lists = ("images", "categories", "annotations")
    missing = [n for n in lists if not (isinstance(whole, dict) and isinstance(whole.get(n), list))]
    if missing:
        raise SourceBroken(
            f"{path.name} is not COCO", expected=f"lists named {', '.join(lists)}",
            found=f"no list {missing[0]}", where=str(path),
        )  # fmt: skip
    return whole


def _by_image(
    entries: list[Any], name: str, reading: ReturnedFile
) -> dict[Any, list[tuple[Any, str]]]:
    boxes: dict[Any, list[tuple[Any, str]]] = {}
    for number, entry in enumerate(entries):
        where = f"{name}: annotations[{number}]"
        key = entry.get("image_id") if isinstance(entry, Mapping) else None
        if not isinstance(key, (int, str)):
            reading.reject(ChangeReason.BAD_ROW, "an annotation of no image", where, "box")
            continue
        boxes.setdefault(key, []).append((entry, where))
    return boxes


def _image(image: Any) -> tuple[int | str, str, tuple[int, int]] | None:
    try:
        key, file = image["id"], PurePosixPath(str(image["file_name"]).replace("\\", "/")).name
        size = int(image["width"]), int(image["height"])
    except (KeyError, TypeError, ValueError):
        return None
    whole = file and isinstance(key, (int, str)) and min(size) >= 1
    return (key, file, size) if whole else None


def _marked(
    entry: Mapping[str, Any], names: Mapping[Any, str], size: tuple[int, int], where: str
) -> ReturnedBox:
    number = entry.get("category_id")
    label = names.get(as_id(number), f"category {number}")
    box_id = entry.get(ID)
    box_id = box_id if isinstance(box_id, str) else None
    try:
        x, y, w, h = (float(v) for v in entry["bbox"])
    except (KeyError, TypeError, ValueError):
        return ReturnedBox(
            label, None, box_id, where, "an annotation without a box of four numbers"
        )
    return ReturnedBox(label, in_parts((x, y, x + w, y + h), *size), box_id, where)

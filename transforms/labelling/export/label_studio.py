"""Label Studio: ``tasks.json`` with predictions, and ``config.xml`` for the project's labels.

A task counts as reviewed if it has an annotation that was not cancelled; if there are several, the
last one counts.  Coordinates are percent of the frame.  A key point is a click: a model outlines
the object at this point.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from surgqa.transforms.labelling.sheet import (
    Box,
    ChangeReason,
    Returned,
    ReturnedBox,
    ReturnedFile,
    RoundSheet,
    SheetFrame,
)
from surgqa.transforms.review.label_studio import (
    last_done,
    tasks_of,
    valued,
    write_interface,
    write_tasks,
)

PICTURES = "images"
TASKS = "tasks.json"
ASKED, MASKS = "asked", "masks"
"""Fields of a task: tissues that speech names and that have no box; box id -> mask."""
POINT = "keypointlabels"
PREFIX = "/data/local-files/?d=images/"
"""Address of a file in Label Studio's local storage whose folder contains ``images/``."""
MASKED = True
HINT = (
    "correct it with surgqa label correct, or make a Label Studio project with the labelling "
    "interface of config.xml, serve this folder as local storage, import tasks.json, "
    "correct, submit, and export as JSON"
)
UPLOADED = re.compile(r"^[0-9a-f]{8}-")
"""Prefix that Label Studio adds to the name of an uploaded file."""


def write(sheet: RoundSheet, folder: Path) -> None:
    """``tasks.json`` and ``config.xml``."""
    tasks = [_task(sheet, number, frame) for number, frame in enumerate(sheet.frames, 1)]
    write_tasks(tasks, folder / TASKS)
    labels = valued("Label", [one.name for one in sheet.labels])
    write_interface(
        folder,
        '<Text name="asked" value="$asked"/>',
        '<Image name="image" value="$image" zoom="true"/>',
        '<RectangleLabels name="label" toName="image" canRotate="false">', *labels,
        "</RectangleLabels>",
        '<KeyPointLabels name="point" toName="image">', *labels,
        "</KeyPointLabels>",
    )  # fmt: skip


def _task(sheet: RoundSheet, number: int, frame: SheetFrame) -> dict[str, Any]:
    return {
        "id": number,
        "data": {
            "image": f"{PREFIX}{frame.file}",
            ASKED: ", ".join(frame.asked),
            MASKS: {one.box_id: one.mask for one in frame.boxes if one.mask},
        },
        "predictions": [
            {
                "model_version": f"surgqa round {sheet.round}",
                "result": [
                    region(
                        one.box_id, sheet.name(one.kind, one.label), one.box_xyxy,
                        (frame.width, frame.height),
                    ) | {"score": one.score}
                    for one in frame.boxes
                ],
            }
        ],
    }  # fmt: skip


def region(box_id: str, name: str, box: Box, size: tuple[int, int]) -> dict[str, Any]:
    """Return a box, or a click as a box without area, in Label Studio's form.

    Args:
        size: width and height of the frame in pixels.
    """
    clicked = box[:2] == box[2:]
    kind = POINT if clicked else "rectanglelabels"
    place = {"x": box[0] * 100, "y": box[1] * 100, "width": 0.5} if clicked else _percent(box)
    return {
        "id": box_id,
        "type": kind,
        "from_name": "point" if clicked else "label",
        "to_name": "image",
        "original_width": size[0],
        "original_height": size[1],
        "image_rotation": 0,
        "value": {**place, **({} if clicked else {"rotation": 0}), kind: [name]},
    }


def _percent(box: Box) -> dict[str, float]:
    x1, y1, x2, y2 = box
    return {"x": x1 * 100, "y": y1 * 100, "width": (x2 - x1) * 100, "height": (y2 - y1) * 100}


def read(path: Path) -> ReturnedFile:
    """Return the tasks of a JSON export (not of ``JSON-MIN``, which drops unchanged regions).

    Raises:
        SourceBroken: not a list of tasks.
    """
    reading = ReturnedFile()
    for number, task in enumerate(tasks_of(path)):
        _returned(task, f"{path.name}: [{number}]", reading)
    return reading


def _returned(task: Any, where: str, reading: ReturnedFile) -> None:
    data = task.get("data") if isinstance(task, Mapping) else None
    image = data.get("image") if isinstance(data, Mapping) else None
    given = task.get("annotations", []) if isinstance(task, Mapping) else None
    if not isinstance(image, str) or not isinstance(given, list):
        why = "not a task with an image and annotations"
        reading.reject(ChangeReason.BAD_ROW, why, where, "picture")
        return
    file = file_of(image)
    done = last_done(given)
    results = done.get("result") if done else []
    entries = results if isinstance(results, list) else [None]
    size, boxes = None, []
    for number, entry in enumerate(entries):
        place = f"{where}.annotations.result[{number}]"
        if isinstance(entry, Mapping) and entry.get("type") == "choices":
            continue  # an answer about the whole image, in a project with further controls
        boxes.append(marked(entry, place))
        size = size or _size(entry)
    reading.pictures.append(Returned(file, size, done is not None, tuple(boxes), where))


def file_of(image: str) -> str:
    """Return the name of a task's frame, from its address."""
    return UPLOADED.sub("", re.split(r"[/\\=]", unquote(image))[-1])


def _size(entry: Any) -> tuple[int, int] | None:
    try:
        return int(entry["original_width"]), int(entry["original_height"])
    except (KeyError, TypeError, ValueError):
        return None


def marked(entry: Any, where: str) -> ReturnedBox:
    """Return a region as a box or a click, or the problem with it."""
    try:
        kind, value = entry["type"], entry["value"]
        clicked = kind == POINT
        box_id = entry["id"] if isinstance(entry.get("id"), str) else None
        if kind != "rectanglelabels" and not clicked:
            return ReturnedBox("", None, box_id, where, f"a {kind}")
        names = value[kind]
        x, y = (float(value[name]) / 100 for name in ("x", "y"))
        w, h = (0 if clicked else float(value[name]) / 100 for name in ("width", "height"))
        turned = float(value.get("rotation") or 0)
        names = [str(name) for name in names]
    except (KeyError, TypeError, ValueError, AttributeError):
        return ReturnedBox("", None, None, where, "a region without numbers or label")
    if len(names) != 1:
        return ReturnedBox("", None, box_id, where, f"a box with {len(names)} labels")
    if turned:
        return ReturnedBox(names[0], None, box_id, where, f"a box turned by {turned:g} degrees")
    return ReturnedBox(names[0], (x, y, x + w, y + h), box_id, where, clicked=clicked)

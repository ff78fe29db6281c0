"""Correct a round that was exported for Label Studio without Label Studio, frame by frame.

Each correction becomes an annotation of the task in ``tasks.json``, in Label Studio's format, so
that ``surgqa label import`` can read it.  A frame that was started but not finished has a cancelled
annotation, which the import ignores.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from surgqa.ontology.errors import FileMissing, SourceBroken
from surgqa.ontology.files import read_bytes
from surgqa.ontology.guarded import ErrorOf, parsed
from surgqa.ontology.xml_text import read_xml
from surgqa.transforms.labelling.export.label_studio import (
    ASKED,
    MASKS,
    PICTURES,
    TASKS,
    file_of,
    marked,
    region,
)
from surgqa.transforms.labelling.sheet import Box
from surgqa.transforms.places import below, write_whole
from surgqa.transforms.review.label_studio import CONFIG

TOOL = "surgqa"
MOST_BOXES = 400
LEAST = 1e-3
"""Minimum share of the frame in each direction; a smaller box is an accident."""
NO_ROUND = ErrorOf(
    "not a round for Label Studio", f"a list of tasks, as in {TASKS}",
    "surgqa label choose STORE --out ROUND --as label-studio", SourceBroken,
)  # fmt: skip

Task = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Corrected:
    """A box after correction, or a click.

    Attributes:
        box_id: id of the exported box; None for a new one.
        name: name of the box's label.
        box_xyxy: in [0, 1] of width and height; for a click both corners are the point.
    """

    box_id: str | None
    name: str
    box_xyxy: Box


class Corrections:
    """An exported round; can be used by several threads.

    Args:
        folder: folder of ``surgqa label choose --as label-studio``.

    Raises:
        SourceMissing: the tasks or labels of the round are missing.
        SourceBroken: the tasks or labels cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.tasks = folder, folder / TASKS
        for file in (self.tasks, folder / CONFIG):
            if not file.is_file():
                raise FileMissing(f"{file.name} is missing", expected=NO_ROUND.expected,
                                  where=str(folder), fix=NO_ROUND.fix)  # fmt: skip
        self._lock = threading.Lock()
        config = read_xml(read_bytes(folder / CONFIG, CONFIG), CONFIG)
        names = (one.attributes.get("value") for one in config.every("Label"))
        self.labels = list(dict.fromkeys(filter(None, names)))
        self.files = [file for _, file in self._read()]

    def _read(self) -> list[tuple[Task, str]]:
        """Return each task with the name of its frame."""
        where = str(self.tasks)
        tasks = parsed(read_bytes(self.tasks, TASKS), where, NO_ROUND)
        try:
            found = [(task, file_of(task["data"]["image"])) for task in tasks]
        except (KeyError, TypeError, AttributeError):
            raise NO_ROUND.wrong("a task without a picture", where) from None
        return found

    def frames(self) -> list[dict[str, Any]]:
        """Return each frame with its current boxes, for JSON.

        Returns:
            ``file``; ``done``: whether a person marked it as finished; ``boxes``: ``id``, ``label``
            and ``box``, without area for a click; ``left``: regions other than upright boxes, which
            stay unchanged; ``asked``: labels of tissues that speech names and that have no box;
            ``masks``: for each box id, the mask of a model, ``HEIGHTxWIDTH:counts``.
        """
        with self._lock:
            return [_frame_entry(task, file) for task, file in self._read()]

    def picture(self, file: str) -> bytes | None:
        """Return a frame of the round; None for any other name."""
        path = below(self.folder / PICTURES, file) if file in self.files else None
        return path.read_bytes() if path and path.is_file() else None

    def take(self, file: str, boxes: Sequence[Corrected], done: bool) -> None:
        """Store the boxes of a frame, and whether it is finished.

        Raises:
            ValueError: unknown frame or label, or an invalid box.
        """
        if file not in self.files or len(boxes) > MOST_BOXES:
            raise ValueError("this round has no such picture, or there are too many boxes")
        if not all(one.name in self.labels and _fits(one.box_xyxy) for one in boxes):
            raise ValueError("this round has no such label, or the box is not inside the picture")
        with self._lock:
            tasks = self._read()
            for task, name in tasks:
                if name == file:
                    mine = {"tool": TOOL, "was_cancelled": not done,
                            "result": _result(task, boxes, self._size(file))}  # fmt: skip
                    others = [one for one in task.get("annotations") or () if not _own(one)]
                    task["annotations"] = [*others, mine]
            data = orjson.dumps([task for task, _ in tasks], option=orjson.OPT_INDENT_2)
            write_whole(self.tasks, data)

    def _size(self, file: str) -> tuple[int, int]:
        """Return the width and height of a frame in pixels."""
        import cv2

        picture = cv2.imread(str(self.folder / PICTURES / file))
        if picture is None:
            raise ValueError("this picture cannot be read")
        return picture.shape[1], picture.shape[0]


def _own(annotation: Any) -> bool:
    return isinstance(annotation, Mapping) and annotation.get("tool") == TOOL


def _shown(task: Mapping[str, Any]) -> tuple[list[Any], bool]:
    """Current regions, and whether a person marked the frame as finished."""
    given = [one for one in task.get("annotations") or () if isinstance(one, Mapping)]
    own = [one for one in given if _own(one)]
    done = [one for one in given if not one.get("was_cancelled")]
    drafts = own or done or list(task.get("predictions") or ())
    results = drafts[-1].get("result") if drafts else []
    return (results if isinstance(results, list) else []), bool(done)


def _frame_entry(task: Mapping[str, Any], file: str) -> dict[str, Any]:
    results, done = _shown(task)
    boxes = [one for one in (marked(entry, "") for entry in results) if one.box_xyxy]
    shown = [{"id": one.box_id, "label": one.name, "box": one.box_xyxy} for one in boxes]
    asked, masks = (task["data"].get(name) or kind for name, kind in ((ASKED, ""), (MASKS, {})))
    return {
        "file": file, "done": done, "boxes": shown, "left": len(results) - len(shown),
        "asked": asked.split(", ") if isinstance(asked, str) and asked else [],
        "masks": dict(masks) if isinstance(masks, Mapping) else {},
    }  # fmt: skip


def _result(
    task: Mapping[str, Any], boxes: Sequence[Corrected], size: tuple[int, int]
) -> list[Any]:
    """Return regions of Label Studio; unchanged regions stay identical to the last bit."""
    results, _ = _shown(task)
    shown = [(entry, marked(entry, "")) for entry in results]
    kept = [entry for entry, one in shown if one.box_xyxy is None]
    known = {one.box_id: (entry, one) for entry, one in shown if one.box_xyxy}
    free = (f"new-{k}" for k in range(1, 2 * MOST_BOXES + 2) if f"new-{k}" not in known)
    for one in boxes:
        entry, before = known.get(one.box_id, (None, None))
        if before and (before.name, before.box_xyxy) == (one.name, one.box_xyxy):
            kept.append(entry)
        else:
            box_id = one.box_id if entry else next(free)
            kept.append(region(box_id, one.name, one.box_xyxy, size))
    return kept


def _fits(box: Box) -> bool:
    x1, y1, x2, y2 = box
    inside = all(math.isfinite(side) and 0 <= side <= 1 for side in box)
    clicked = box[:2] == box[2:]
    return inside and (clicked or (x2 - x1 >= LEAST and y2 - y1 >= LEAST))

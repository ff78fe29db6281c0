"""YOLO text files: ``data.yaml``, ``images/train``, ``labels/train``, as used for training.

A frame with a label file counts as reviewed. An empty label file means that the frame shows
nothing. Delete the label file of a frame that nobody has reviewed. The format has no ids, so a box
is identified by its position.
"""

from __future__ import annotations

import math
from pathlib import Path

from surgqa.ontology.errors import FileMissing
from surgqa.ontology.files import listed, read_bytes
from surgqa.transforms.labelling.sheet import (
    SUFFIX,
    Box,
    Returned,
    ReturnedBox,
    ReturnedFile,
    RoundSheet,
    SheetFrame,
)
from surgqa.transforms.places import below
from surgqa.transforms.readers.base.yolo import CLASS_FILES, class_names

PART = "train"
PICTURES = f"images/{PART}"
LABELS = f"labels/{PART}"
YAML = "data.yaml"
MASKED = False
HINT = "open the folder in a tool that knows YOLO, correct the files of labels/, and import it"
DECIMALS = 8


def write(sheet: RoundSheet, folder: Path) -> None:
    """``data.yaml`` and a label file for every frame, empty without boxes."""
    names = [one.name for one in sheet.labels]
    write_yaml(names, folder)
    labels = folder / LABELS
    labels.mkdir(parents=True, exist_ok=True)
    for frame in sheet.frames:
        rows = [(sheet.number(one.kind, one.label), one.box_xyxy) for one in frame.boxes]
        below(labels, label_file(frame)).write_text(lines(rows), encoding="utf-8")


def write_yaml(names: list[str], folder: Path) -> None:
    """``data.yaml``: the folders of the frames, and the classes in the order of their numbers."""
    text = [f"path: .\ntrain: {PICTURES}\nval: {PICTURES}\nnames:"]
    text += [f"  {number}: '{name}'" for number, name in enumerate(names)]
    (folder / YAML).write_text("\n".join(text) + "\n", encoding="utf-8")


def label_file(frame: SheetFrame) -> str:
    """Return the name of a frame's label file."""
    return frame.file.removesuffix(SUFFIX) + ".txt"


def lines(rows: list[tuple[int, Box]]) -> str:
    """Return the text of a label file: class, centre x, centre y, width, height."""
    text = ""
    for number, (x1, y1, x2, y2) in rows:
        values = ((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1)
        text += " ".join([str(number), *(f"{v:.{DECIMALS}f}" for v in values)]) + "\n"
    return text


def read(path: Path) -> ReturnedFile:
    """Return the label files of a folder; ``data.yaml`` names the classes.

    Raises:
        SourceMissing: there is no folder ``labels``.
        UserError: ``data.yaml`` has no class names.
    """
    folder = next((f for f in (path / LABELS, path / "labels", path) if _labels(f)), None)
    if folder is None:
        raise FileMissing(
            f"{path.name} holds no label files", expected=f"{LABELS}/*.txt", where=str(path)
        )
    names = _names(path)
    reading = ReturnedFile()
    for file in _labels(folder):
        where = file.relative_to(path).as_posix()
        boxes = []
        text = file.read_bytes().decode("utf-8", "backslashreplace")
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                boxes.append(_marked(line.split(), names, f"{where}:{number}"))
        picture = file.name.removesuffix(".txt") + SUFFIX
        reading.pictures.append(Returned(picture, None, True, tuple(boxes), where))
    return reading


def _labels(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [p for p in listed(folder) if p.suffix == ".txt" and p.name != "classes.txt"]


def _names(path: Path) -> tuple[str, ...]:
    found = [path / name for name in CLASS_FILES if (path / name).is_file()]
    if not found:
        raise FileMissing(
            "the names of the classes are missing", expected=f"{YAML} with names, or classes.txt",
            where=str(path), fix=f"put the {YAML} of the export next to images/ and labels/",
        )  # fmt: skip
    return class_names(read_bytes(found[0], found[0].name), found[0].name)


def _marked(parts: list[str], names: tuple[str, ...], where: str) -> ReturnedBox:
    try:
        number = int(parts[0])
        cx, cy, w, h = (float(v) for v in parts[1:5])
    except (ValueError, IndexError):
        return ReturnedBox("", None, None, where, "a line that is not 'class x y width height'")
    name = names[number] if 0 <= number < len(names) else f"class {number}"
    if len(parts) not in (5, 6) or not all(map(math.isfinite, (cx, cy, w, h))):
        return ReturnedBox(name, None, None, where, f"a line of {len(parts)} values")
    return ReturnedBox(name, (cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2), None, where)

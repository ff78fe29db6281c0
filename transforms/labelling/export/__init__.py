"""Formats of labelling tools: one module each, which writes a sheet and reads it back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from ontology.errors import SourceMissing, UserError
from transforms.labelling.sheet import Reading, Sheet

__all__ = ["FORMATS", "Format", "format_of", "load"]

FORMATS = {
    "cvat": "CVAT for images 1.1, XML",
    "label-studio": "Label Studio tasks with predictions, JSON",
    "coco": "COCO object detection, JSON",
    "yolo": "YOLO text files",
}
"""Name -> what it is."""


@dataclass(frozen=True, slots=True)
class Format:
    """One tool's format.

    Attributes:
        pictures: folder of the pictures inside an export.
        write: lays a sheet's annotation files into a folder; the pictures are not its task.
        read: all that a file or folder holds; unusable entries become rejects.
        hint: what to do with the export.
        masked: masks go out with the boxes of a round, and are no shapes when they come back.
    """

    pictures: str
    write: Callable[[Sheet, Path], None]
    read: Callable[[Path], Reading]
    hint: str
    masked: bool


def load(name: str) -> Format:
    """The format of this name.

    Raises:
        UserError: there is none.
    """
    if name not in FORMATS:
        raise UserError(
            f"no labelling format is called {name!r}", expected=", ".join(FORMATS), found=name,
            where="--as",
        )  # fmt: skip
    module = import_module(f"transforms.labelling.export.{name.replace('-', '_')}")
    return Format(module.PICTURES, module.write, module.read, module.HINT, module.MASKED)


def format_of(path: Path) -> str:
    """The format of a file or folder, told from what it is.

    Raises:
        SourceMissing: there is neither.
        UserError: it cannot be told.
    """
    if not path.exists():
        raise SourceMissing(
            f"{path.name} is missing", expected="what a labelling tool exported", where=str(path)
        )
    if path.is_dir():
        return "yolo"
    if path.suffix.lower() in (".xml", ".zip"):
        return "cvat"
    if path.suffix.lower() == ".json":
        with path.open("rb") as data:
            first = data.read(256).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        return "label-studio" if first == b"[" else "coco"
    raise UserError(
        f"the format of {path.name} cannot be told from its name",
        expected=".xml or .zip (CVAT), .json (Label Studio, COCO) or a folder (YOLO)",
        found=path.name, fix="say it with --as",
    )  # fmt: skip

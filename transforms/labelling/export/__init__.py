"""Formats of labelling tools, one module each, which writes a sheet and reads it back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from surgqa.ontology.errors import FileMissing, UnknownName, WrongUsage
from surgqa.ontology.masks import decoded
from surgqa.transforms.evidence.segment.masks import encode
from surgqa.transforms.labelling.sheet import ReturnedFile, RoundSheet

__all__ = ["FORMATS", "ToolFormat", "format_of", "load"]

FORMATS = {
    "cvat": "CVAT for images 1.1, XML",
    "label-studio": "Label Studio tasks with predictions, JSON",
    "coco": "COCO object detection, JSON",
    "yolo": "YOLO text files",
}
"""Name -> description."""


@dataclass(frozen=True, slots=True)
class ToolFormat:
    """How the frames and boxes of a round are written for one tool and read back.

    Attributes:
        pictures: folder of the frames inside an export.
        write: writes the annotation files of a sheet into a folder; frames are written elsewhere.
        read: reads a file or folder; unusable entries become rejections.
        hint: text that tells the user what to do with the export.
        masked: True if masks are exported with the boxes of a round. When a file comes back, masks
            are not read as boxes.
    """

    pictures: str
    write: Callable[[RoundSheet, Path], None]
    read: Callable[[Path], ReturnedFile]
    hint: str
    masked: bool


def load(name: str) -> ToolFormat:
    """Return the format of this name.

    Raises:
        UserError: there is no such format.
    """
    if name not in FORMATS:
        raise UnknownName(
            f"no labelling format is called {name!r}", expected=", ".join(FORMATS), found=name,
            where="--as",
        )  # fmt: skip
    module = import_module(f"surgqa.transforms.labelling.export.{name.replace('-', '_')}")
    return ToolFormat(module.PICTURES, module.write, module.read, module.HINT, module.MASKED)


def format_of(path: Path) -> str:
    """Detect the format of a file or folder.

    Raises:
        SourceMissing: the file does not exist.
        UserError: the format is unclear.
    """
    if not path.exists():
        raise FileMissing(
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
    raise WrongUsage(
        f"the format of {path.name} is not clear from its name",
        expected=".xml or .zip (CVAT), .json (Label Studio, COCO) or a folder (YOLO)",
        found=path.name, fix="name it with --as",
    )  # fmt: skip


def coco_mask(text: str, width: int, height: int) -> dict[str, Any]:
    """COCO's ``segmentation`` in compressed run lengths, and ``area`` in pixels.

    Args:
        width, height: of the frame; a mask of another size is resized.
    """
    from pycocotools import mask as coco

    mask = sized(text, width, height)
    counts = coco.encode(np.asfortranarray(mask))["counts"].decode("ascii")
    return {"segmentation": {"size": [height, width], "counts": counts}, "area": int(mask.sum())}


def sized(text: str, width: int, height: int) -> np.ndarray:
    """Return a mask as uint8 (H, W) in the size of the frame, 1 inside."""
    mask = decoded(text).astype(np.uint8)
    if mask.shape == (height, width):
        return mask
    return cv2.resize(mask, (width, height), interpolation=cv2.INTER_NEAREST)


def cvat_rle(text: str, width: int, height: int) -> dict[str, str]:
    """Attributes of CVAT's ``mask``: a window of the frame, and run lengths in it, row by row.

    The first run is outside the mask and may have length 0.

    Args:
        width, height: of the frame; a mask of another size is resized.
    """
    mask = sized(text, width, height)
    left, top, wide, high = cv2.boundingRect(mask) if mask.any() else (0, 0, 1, 1)
    runs = encode(mask[top : top + high, left : left + wide])
    return {"rle": ", ".join(map(str, runs.tolist())), "left": str(left), "top": str(top),
            "width": str(wide), "height": str(high)}  # fmt: skip

"""Files of shapes on one image in the format of LabelMe: boxes with attributes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.json_text import read_json
from surgqa.ontology.published import Unfit
from surgqa.ontology.records import IDLE, Code, InstrumentTable
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.whole_frames import FrameRow, WholeFrames, found_box
from surgqa.transforms.readers.base.words import AllWords, fitting


def read_shapes(
    files: Iterable[tuple[int, str, bytes]], columns: Mapping[str, str], words: AllWords,
    fps: Fraction, pointer: str, ledger: Ledger,
) -> tuple[dict[str, InstrumentTable], int, int]:  # fmt: skip
    """Return the tables by kind, and how many shapes were kept and read.

    Args:
        files: frame, path and bytes of each picture's file.
        columns: for each role, the key of a shape or of its attributes.

    Raises:
        SourceBroken: a file is not a list of shapes.
    """
    frames, read = WholeFrames(ledger), 0
    for frame, path, data in files:
        entries, size = _picture(data, path)
        read += len(entries)
        frames.open(frame)
        for row, entry in enumerate(entries):
            understand = partial(_shape, entry, size, columns, words)
            frames.add(frame, (frame, row), f"{path} shapes[{row}]", understand)
    kinds = {kind: words[kind].concepts or () for kind in columns if kind not in ("verb", "target")}
    tables, kept = frames.close(kinds, fps, pointer)
    return tables, kept, read


def _picture(data: bytes, name: str) -> tuple[list[Any], tuple[int, int]]:
    """Return the shapes of an image, and its width and height in pixels."""
    tree = read_json(data, name).data
    entries, size = tree.get("shapes"), (tree.get("imageWidth"), tree.get("imageHeight"))
    if not isinstance(entries, list) or not all(type(n) is int and n > 0 for n in size):
        raise SourceBroken(
            f"{name} is not a label file of an image",
            expected="shapes, imageWidth and imageHeight", found=", ".join(tree) or "nothing",
            where=f"{name}:1", fix="download the file again",
        )  # fmt: skip
    return entries, (int(size[0] or 0), int(size[1] or 0))


def _shape(
    entry: Any, size: tuple[int, int], columns: Mapping[str, str], words: AllWords
) -> FrameRow:
    """Return the concepts and the box of a shape.

    Raises:
        Unfit: the shape is invalid.
    """
    attributes = (entry.get("attributes") or {}) if isinstance(entry, dict) else None
    if not isinstance(attributes, dict):
        raise Unfit(Code.BAD_ROW, f"a shape is {entry!r:.60} and no object with attributes")
    values = {role: {**attributes, **entry}.get(key) for role, key in columns.items()}
    kind = next(role for role in columns if role not in ("verb", "target"))
    pair = (_concept("verb", values, words), _concept("target", values, words))
    concept = _concept(kind, values, words)
    if "verb" in columns and (pair[0] == IDLE[0]) != (pair[1] == IDLE[1]):
        what = f"only one of verb {pair[0]} and target {pair[1]} is null"
        raise Unfit(Code.CONTRADICTION, what)
    points, does = entry.get("points"), pair if "verb" in columns else None
    if not points:
        return FrameRow(concept, pair=does, kind=kind)
    try:
        (x1, y1), (x2, y2) = points
    except (TypeError, ValueError):
        raise Unfit(Code.BAD_BOX, f"points {points!r:.60} are not two corners") from None
    return FrameRow(concept, *found_box((x1, y1, x2, y2), *size), does, kind)


def _concept(kind: str, values: Mapping[str, Any], words: AllWords) -> str:
    """Return the concept of a word; a missing value and the text "null" are null."""
    if kind not in values:
        return ""
    return fitting(words[kind].concept("null" if values[kind] is None else str(values[kind])))

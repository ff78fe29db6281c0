"""The bytes of a label file as rows of plain values, in a few lines for each format.

Every format gives tuples whose first two members are the file's path and the groups of the
pattern that its path matched; :data:`COLUMNS` names the others.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import cv2
import numpy as np
import orjson
import pyarrow as pa

CELLS: Mapping[str, str | None] = MappingProxyType(
    {"words": None, "commas": ",", "semicolons": ";", "bars": "|", "colons": ":"}
)
"""What lies between two cells of a line, by its name; None is any run of blanks and tabs."""

_HEAD = [("file", pa.string()), ("g", pa.list_(pa.string()))]
_LINES = [("line", pa.int64()), ("c", pa.list_(pa.string()))]
COLUMNS: Mapping[str, pa.Schema] = MappingProxyType(
    {
        "cells": pa.schema([*_HEAD, *_LINES]),
        "sheet": pa.schema([*_HEAD, *_LINES]),
        "json": pa.schema([*_HEAD, ("k", pa.list_(pa.string())), ("v", pa.string())]),
        "picture": pa.schema(
            [*_HEAD, ("value", pa.string()), ("part", pa.int64())]
            + [(n, pa.int64()) for n in ("x1", "y1", "x2", "y2", "width", "height")]
        ),
    }
)
"""Format -> columns: ``line`` from 1 and its cells ``c``; keys ``k`` on the way to a JSON value
``v``; of a picture each value with the box (right and lower edge outside) of its pixels."""


def rows_of(data: bytes, form: str, how: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a file without path and groups.

    Args:
        form: a key of :data:`COLUMNS`.
        how: of ``cells`` a key of :data:`CELLS`; of ``json`` a path such as ``a.*.b``; of
            ``picture`` ``value``, ``colour`` or ``parts``; of ``sheet`` nothing.
    """
    return {"cells": _cells, "json": _json, "sheet": _sheet, "picture": _picture}[form](data, how)


def _cells(data: bytes, how: str) -> Iterator[tuple[Any, ...]]:
    text = data.decode("utf-8-sig", "replace")
    lines = (line.rstrip("\r") for line in text.split("\n"))
    between = CELLS[how]
    if between is None:
        yield from ((k, line.split()) for k, line in enumerate(lines, 1) if line.strip())
        return
    for number, cells in enumerate(csv.reader(lines, delimiter=between), 1):
        if any(cells):
            yield number, [cell.strip() for cell in cells]


def _sheet(data: bytes, how: str) -> Iterator[tuple[Any, ...]]:
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    for number, cells in enumerate(book.worksheets[0].iter_rows(values_only=True), 1):
        yield number, [None if cell is None else str(cell).strip() for cell in cells]


def _json(data: bytes, how: str) -> Iterator[tuple[Any, ...]]:
    found: list[tuple[list[str], Any]] = [([], orjson.loads(data.removeprefix(b"\xef\xbb\xbf")))]
    for step in filter(None, how.split(".")):
        found = [below for keys, value in found for below in _below(keys, value, step)]
    yield from ((keys, orjson.dumps(value).decode()) for keys, value in found)


def _below(keys: list[str], value: Any, step: str) -> Iterator[tuple[list[str], Any]]:
    members = value.items() if isinstance(value, dict) else enumerate(value or ())
    if step == "*":
        yield from (([*keys, str(name)], one) for name, one in members)
    elif isinstance(value, dict) and step in value:
        yield keys, value[step]


def _picture(data: bytes, how: str) -> Iterator[tuple[Any, ...]]:
    mode = cv2.IMREAD_COLOR if how == "colour" else cv2.IMREAD_GRAYSCALE
    pixels: Any = cv2.imdecode(np.frombuffer(data, np.uint8), mode)
    height, width = pixels.shape[:2]
    if how == "colour":
        blue, green, red = (pixels[:, :, k].astype(np.int64) for k in range(3))
        pixels = red << 16 | green << 8 | blue
    if how == "parts":
        boxes = cv2.connectedComponentsWithStats((pixels > 127).astype(np.uint8))[2][1:]
        for part, (x, y, w, h, _) in enumerate(boxes.tolist()):
            yield "255", part, x, y, x + w, y + h, width, height
        return
    for value in np.unique(pixels).tolist():
        down, across = np.nonzero(pixels == value)
        edges = (across.min(), down.min(), across.max() + 1, down.max() + 1)
        yield str(value), 0, *(int(edge) for edge in edges), width, height

"""Parses the bytes of a label file into rows of plain values, with one function for each format.

Every row begins with the file's path and the groups of the pattern that matched the path.
:data:`COLUMNS` names the other columns.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import cv2
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

CELLS: Mapping[str, str | None] = MappingProxyType(
    {"words": None, "commas": ",", "semicolons": ";", "bars": "|", "colons": ":"}
)
"""Name -> separator between the cells of a line; None stands for any number of blanks and tabs."""

_WITHIN = r" within (\d+)x(\d+) at (\d+),(\d+) of (\d+)x(\d+)"
_HEAD = [("file", pa.string()), ("g", pa.list_(pa.string()))]
_LINES = [("line", pa.int64()), ("c", pa.list_(pa.string()))]
_TREE = pa.schema([*_HEAD, ("k", pa.list_(pa.string())), ("v", pa.string())])
COLUMNS: Mapping[str, pa.Schema] = MappingProxyType(
    {
        "cells": pa.schema([*_HEAD, *_LINES]),
        "sheet": pa.schema([*_HEAD, *_LINES]),
        "json": _TREE,
        "parquet": _TREE,
        "picture": pa.schema(
            [*_HEAD, ("value", pa.int64()), ("part", pa.int64())]
            + [(n, pa.int64()) for n in ("x1", "y1", "x2", "y2", "pixels", "pieces")]
            + [(n, pa.int64()) for n in ("width", "height")]
        ),
        "beside": pa.schema([*_HEAD, ("width", pa.int64()), ("height", pa.int64())]),
        "name": pa.schema(_HEAD),
    }
)
"""Format -> columns. ``cells``, ``sheet``: number of the ``line`` (from 1) and its cells ``c``.
``json``, ``parquet``: keys ``k`` that lead to a JSON value ``v``. ``picture``: one row for each
value of an image, with its box (right and lower edge exclusive), number of pixels and number of
connected pieces. ``beside``: size of an image that is stored with the label files. ``name``: only
the path."""


def rows_of(data: bytes, form: str, how: str) -> Iterator[tuple[Any, ...]]:
    """Return the rows of a file, without its path and the groups of the pattern.

    Args:
        form: a key of :data:`COLUMNS`.
        how: detail of the format. For ``cells``: a key of :data:`CELLS`. For ``json`` and
            ``parquet``: a path such as ``a.*.b``. For ``picture``: ``colour``, ``parts`` or
            ``values``. Values may be grouped (``values by 40``: 1 to 40 are 1, 41 to 80 are 2), or
            read from a part of the image if it has a certain size (``values within 8x6 at 2,1 of
            16x9``). Other formats ignore it.
    """
    return _FORMS[form](data, how)


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
    return _found(orjson.loads(data.removeprefix(b"\xef\xbb\xbf")), how)


def _parquet(data: bytes, how: str) -> Iterator[tuple[Any, ...]]:
    return _found(pq.read_table(io.BytesIO(data)).to_pylist(), how)


def _found(tree: Any, how: str) -> Iterator[tuple[Any, ...]]:
    found: list[tuple[list[str], Any]] = [([], tree)]
    for step in filter(None, how.split(".")):
        found = [below for keys, value in found for below in _below(keys, value, step)]
    yield from ((keys, orjson.dumps(value).decode()) for keys, value in found)


def _below(keys: list[str], value: Any, step: str) -> Iterator[tuple[list[str], Any]]:
    if step == "*" and isinstance(value, dict | list):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        yield from (([*keys, str(name)], one) for name, one in members)
    elif isinstance(value, dict) and step in value:
        yield keys, value[step]


def _picture(data: bytes, how: str) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each value: red (``values``), 0xRRGGBB (``colour``) or number of a part."""
    pixels, within = _pixels(data), re.search(_WITHIN, how)
    if within and pixels.shape[1::-1] == (int(within[5]), int(within[6])):
        width, height, x, y = (int(within[k]) for k in (1, 2, 3, 4))
        pixels = pixels[y : y + height, x : x + width]
    blue, green, red = np.moveaxis(pixels.astype(np.int64), 2, 0)
    if how == "parts":
        white = (np.maximum(np.maximum(red, green), blue) > 127).astype(np.uint8)
        values = cv2.connectedComponents(white)[1]
    else:
        values = red << 16 | green << 8 | blue if how == "colour" else red
        step = re.search(r" by (\d+)", how)
        values = -(-values // int(step[1] if step else 1))
    # Values are in the order of their first pixels, so that parts are numbered in reading order.
    found, first = np.unique(values, return_index=True)
    ordered = found[np.argsort(first)]
    for part, value in enumerate(ordered[ordered > 0] if how == "parts" else ordered):
        yield int(value), part, *_extent(values == value), values.shape[1], values.shape[0]


def _extent(mask: np.ndarray[Any, Any]) -> tuple[int, ...]:
    """Return the box, number of pixels and number of connected pieces of a bool mask (H, W)."""
    down, across = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    pieces = cv2.connectedComponents(mask.astype(np.uint8))[0] - 1
    edges = across[0], down[0], across[-1] + 1, down[-1] + 1
    return *(int(edge) for edge in edges), int(mask.sum()), pieces


def _beside(data: bytes, how: str) -> Iterator[tuple[Any, ...]]:
    height, width = _pixels(data).shape[:2]
    yield width, height


def _name(data: bytes, how: str) -> Iterator[tuple[Any, ...]]:
    yield ()


def _pixels(data: bytes) -> np.ndarray[Any, Any]:
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise ValueError("not a readable image")
    return pixels


def mask_box(text: str) -> list[float]:
    """Return x, y, width and height in pixels of the box around a mask in COCO run lengths."""
    from pycocotools import mask as coco

    rle = orjson.loads(text)
    if isinstance(rle["counts"], list):
        rle = coco.frPyObjects(rle, *rle["size"])
    return [float(side) for side in coco.toBbox(rle)]


_FORMS = {"cells": _cells, "sheet": _sheet, "json": _json, "parquet": _parquet,
          "picture": _picture, "beside": _beside, "name": _name}  # fmt: skip

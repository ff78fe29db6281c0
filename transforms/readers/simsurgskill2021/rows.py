"""Parse the boxes of frames, and the rows of skill metrics."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from surgqa.ontology.boxes import Box
from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.published import Unfit
from surgqa.ontology.records import Code, Source, VideoLabel
from surgqa.transforms.readers.base import (
    DelimitedLine,
    Ledger,
    parsed_once,
    read_delimited,
    whole_number,
)
from surgqa.transforms.readers.base.whole_frames import FrameRow, found_box

WIDTH, HEIGHT = 1280, 720
KINDS = ("instrument", "structure")
COUNTS = ("instrument_out_of_view_counts", "needle_drop_counts")
_NOT_HELD = re.compile(r"(\b(not|no|non)[\s_-]+(being[\s_-]+)?|un)grab")


def frame_of(entry: Any) -> int | None:
    """Return the frame number from 0 (the files count from 1, as floats); None if it is invalid."""
    value = entry.get("frame_id") if isinstance(entry, dict) else None
    if isinstance(value, int | float) and 1 <= value < 1e6 and value == int(value):
        return int(value) - 1
    return None


def box_of(entry: Mapping[str, Any], known: Mapping[str, Mapping[str, str]]) -> FrameRow:
    """Return the concept, box and attributes of an entry.

    Raises:
        Unfit: the entry is invalid.
    """
    if entry.get("fps", 1) != 1:
        raise Unfit(Code.BAD_VALUE, f"frames count {entry['fps']!r:.20} and not 1 a second")
    box, is_cut = _place(entry.get("coordinate"))
    if str(entry.get("objects", True)).lower() == "false":
        if box is not None:
            raise Unfit(Code.CONTRADICTION, "a box where no object is in view")
        return FrameRow()
    name = str(entry.get("obj_class")).strip().lower()
    kind = next((kind for kind in KINDS if name in known[kind]), None)
    if kind is None:
        raise Unfit(Code.UNKNOWN_LABEL, f"object {name!r:.40} is not in the label map")
    attributes = _attributes(kind, str(entry.get("orientation") or "").lower())
    return FrameRow(known[kind][name], box, is_cut, kind=kind, attributes=attributes)


def _place(value: Any) -> tuple[Box | None, bool]:
    """Return the box of ``coordinate``, or None if it is null; and whether the box was clipped.

    The file contains ``x``, ``y``, ``w``, ``h`` as an object, or as an object in JSON text.
    """
    try:
        sides = json.loads(value) if isinstance(value, str) else value
        if sides is None:
            return None, False
        x, y, w, h = (sides[side] for side in "xywh")
        if w > 0 and h > 0:
            return found_box((x, y, x + w, y + h), WIDTH, HEIGHT)
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise Unfit(Code.BAD_BOX, f"coordinate {value!r:.60} is not x, y, w and h of a box")


def _attributes(kind: str, text: str) -> dict[str, float | str]:
    """Return the hand that holds a driver, or whether the needle is held; empty if unclear."""
    if kind == "structure":
        held = "no" if _NOT_HELD.search(text) else "yes" if "grab" in text else None
        return {"grasped": held} if held else {}
    sides = [side for side in ("left", "right") if side in text]
    return {"hand": sides[0]} if len(sides) == 1 else {}


def metrics_of(data: bytes, name: str) -> dict[int, DelimitedLine]:
    """Return the rows of the table of metrics, by case number.

    Raises:
        SourceBroken: a column is missing, or a case number is missing or repeated.
    """
    table = read_delimited(data, name, COUNTS)
    table.refuse_bad()
    column = next((column for column in table.columns if "case" in column), "")
    rows: dict[int, DelimitedLine] = {}
    for row in table.rows:
        match = re.fullmatch(r"(?:caseid_)?(\d{1,9})(?:\D.*)?", row.cells.get(column, ""))
        if match is None or int(match[1]) in rows:
            raise SourceBroken(f"{name}: invalid or repeated case number", where=table.place(row),
                               expected="a number such as caseid_000001, each once",
                               found=", ".join(row.cells.values()))  # fmt: skip
        rows[int(match[1])] = row
    return rows


def counts_of(
    tables: Iterable[tuple[bytes, Source]], case: int, known: Mapping[str, str], ledger: Ledger
) -> tuple[tuple[VideoLabel, ...], int]:
    """Return the counts of one video, and how many of its cells are not empty."""
    out, read = [], 0
    for data, source in tables:
        row = parsed_once(data, source, metrics_of).get(case)
        for number, name in enumerate(COUNTS if row else ()):
            text, line = (row[name.replace("_", "")], row.line) if row else ("", 0)
            value, filled = whole_number(text), text.lower() not in ("", "nan")
            read += filled
            if value is not None and value >= 0:
                place = (source.path, f"line {line}")
                out.append(VideoLabel("count", known[name], float(value), "", *place))
            elif filled:
                reason = f"{name} is {text!r:.40} and not a count"
                ledger.reject((0, number), Code.BAD_VALUE, reason, f"{source.path}:{line}")
    return tuple(out), read

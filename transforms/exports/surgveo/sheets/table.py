"""Sheets as CSV that a spreadsheet opens, and back: a row for each score."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from ontology.continuations import ASKED, DIMENSIONS, TIMES_S
from ontology.errors import SourceBroken
from ontology.files import read_bytes, read_text
from transforms.exports.surgveo.sheets.entries import Entry
from transforms.exports.surgveo.sheets.study import Study, order, sheet_name

HEADER = (
    "sheet", "number", "video", "generated", "reference", "operation", "time_s", "dimension",
    "question", "score", "error_types", "comment",
)  # fmt: skip
READ = ("sheet", "video", "time_s", "dimension", "score", "error_types", "comment")
"""Columns that are read back; all others may be hidden, moved or deleted."""
MARK = "\ufeff"
"""Byte-order mark, by which spreadsheets tell UTF-8."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The last four are the wide forms of the first: some spreadsheets read them as well."""


def guarded(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula."""
    first = text.lstrip(" ")[:1]
    return f"'{text}" if first and first in _FORMULA else text


def write_table(study: Study, rater: str) -> bytes:
    """A rater's blank sheet; it does not tell which prompt a video was made with."""
    sink = io.StringIO()
    sink.write(MARK)
    writer = csv.writer(sink, lineterminator="\r\n")
    writer.writerow(HEADER)
    for number, clip in enumerate(order(study, rater), 1):
        for time_s in TIMES_S:
            for dimension in DIMENSIONS:
                cells = (sheet_name(study, rater), str(number), clip.code, clip.generated,
                         clip.reference, clip.context, str(time_s), dimension, ASKED[dimension],
                         "", "", "")  # fmt: skip
                writer.writerow([guarded(cell) for cell in cells])
    return sink.getvalue().encode()


def read_table(path: Path) -> list[Entry]:
    """The rows of a sheet; commas, semicolons or tabs between them, empty rows left out.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: it is no sheet.
    """
    text = read_text(read_bytes(path, str(path)), str(path)).removeprefix(MARK)
    first = text.split("\n", 1)[0]
    between = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=between, strict=True)
    entries: list[Entry] = []
    line = 1
    try:
        place = _places(path, next(reader, []))
        line = reader.line_num + 1
        for row in reader:
            if any(cell.strip() for cell in row):
                entries.append(_entry(row, place, f"{path}:{line}"))
            line = reader.line_num + 1
    except csv.Error as error:
        raise SourceBroken(
            f"{path.name} cannot be read as CSV", found=str(error), where=f"{path}:{line}",
            fix="open it in a spreadsheet and save it as CSV again",
        ) from None  # fmt: skip
    return entries


def _places(path: Path, header: Sequence[str]) -> dict[str, int]:
    names = [cell.strip().lower() for cell in header]
    absent = [name for name in READ if name not in names]
    if absent:
        raise SourceBroken(
            f"{path.name} is no score sheet", expected=f"a column {absent[0]!r}",
            found=", ".join(names[:8]) or "an empty file", where=f"{path}:1",
            fix="keep the first row as it was written, and save the sheet as CSV",
        )  # fmt: skip
    return {name: names.index(name) for name in READ}


def _entry(row: Sequence[str], place: dict[str, int], where: str) -> Entry:
    cells = {name: _cell(row, k) for name, k in place.items()}
    types = tuple(part.strip() for part in cells["error_types"].replace(",", ";").split(";"))
    return Entry(
        where,
        cells["sheet"],
        cells["video"],
        cells["time_s"],
        cells["dimension"],
        cells["score"],
        tuple(part for part in types if part),
        cells["comment"],
    )


def _cell(row: Sequence[str], k: int) -> str:
    text = row[k].strip() if k < len(row) else ""
    return text[1:] if text[:1] == "'" and text[1:].lstrip(" ")[:1] in _FORMULA else text

"""Writes raters' sheets as CSV, with one row for each score, and reads them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from surgqa.ontology.continuations import ASKED, DIMENSIONS, TIMES_S, scale
from surgqa.ontology.errors import ColumnMissing
from surgqa.ontology.spreadsheets import MARK, csv_rows, guarded, unguarded
from surgqa.transforms.exports.surgveo.sheets import Study, order, sheet_name

HEADER = (
    "sheet", "number", "video", "generated", "reference", "operation", "time_s", "dimension",
    "question", "scale", "score", "error_types", "comment",
)  # fmt: skip
READ = ("sheet", "video", "time_s", "dimension", "score", "error_types", "comment")
"""Columns that are read back; raters may hide, move or delete all other columns."""


def write_table(study: Study, rater: str) -> bytes:
    """Return a rater's empty sheet, which does not reveal the prompts of videos."""
    sink = io.StringIO()
    sink.write(MARK)
    writer = csv.writer(sink, lineterminator="\r\n")
    writer.writerow(HEADER)
    for number, clip in enumerate(order(study, rater), 1):
        for time_s in TIMES_S:
            for dimension in DIMENSIONS:
                cells = (sheet_name(study, rater), str(number), clip.code, clip.generated,
                         clip.reference, clip.context, str(time_s), dimension, ASKED[dimension],
                         scale(dimension), "", "", "")  # fmt: skip
                writer.writerow([guarded(cell) for cell in cells])
    return sink.getvalue().encode()


def read_table(path: Path) -> list[SheetEntry]:
    """Return the entries of a sheet, whose separators may be commas, semicolons or tabs.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: the file is not a score sheet.
    """
    rows = csv_rows(path)
    _, header = next(rows, (1, []))
    place = _places(path, header)
    return [
        _entry(row, place, f"{path}:{line}") for line, row in rows if any(c.strip() for c in row)
    ]


def _places(path: Path, header: Sequence[str]) -> dict[str, int]:
    names = [cell.strip().lower() for cell in header]
    absent = [name for name in READ if name not in names]
    if absent:
        raise ColumnMissing(
            f"{path.name} is not a score sheet", expected=f"a column {absent[0]!r}",
            found=", ".join(names[:8]) or "an empty file", where=f"{path}:1",
            fix="keep the first row as it was written, and save the sheet as CSV",
        )  # fmt: skip
    return {name: names.index(name) for name in READ}


def _entry(row: Sequence[str], place: dict[str, int], where: str) -> SheetEntry:
    cells = {name: unguarded(row[k].strip()) if k < len(row) else "" for name, k in place.items()}
    types = tuple(part.strip() for part in cells["error_types"].replace(",", ";").split(";"))
    return SheetEntry(
        where,
        cells["sheet"],
        cells["video"],
        cells["time_s"],
        cells["dimension"],
        cells["score"],
        tuple(part for part in types if part),
        cells["comment"],
    )


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """The score of one video at one time in one dimension, as written in a sheet.

    Attributes:
        where: file and line.
        time_s, dimension, score: the texts as written, '' if a field is empty.
    """

    where: str
    sheet: str
    code: str
    time_s: str
    dimension: str
    score: str
    error_types: tuple[str, ...]
    comment: str

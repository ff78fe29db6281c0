"""Write sheets as CSV for spreadsheets, and read them back.

The columns are in the order in which a rater should read them: texts that give the answer away
(context, knowledge, clue) come after the field for the answer.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from ontology.errors import SourceBroken
from ontology.spreadsheets import MARK, csv_rows, guarded
from ontology.times import print_seconds
from transforms.review.entries import Entry
from transforms.review.questions import Question

SUFFIX = ".csv"
HEADER = (
    "sheet", "unit", "id", "kind", "dataset", "video", "media", "start_s", "end_s", "asked_at_s",
    "question", "options", "answer", "context", "knowledge", "clue", "proposed", "valid", "wrong",
    "comment",
)  # fmt: skip
READ = ("sheet", "id", "answer", "valid", "wrong", "comment")
"""Columns that are read back; all others may be hidden, moved or deleted."""
ID = "item "
"""Prefix of an id: a spreadsheet treats digits with an e among them as a number."""


def write(sheet: str, units: Sequence[Sequence[Question]], path: Path) -> None:
    """One rater's sheet: the questions unit by unit, in the given order."""
    sink = io.StringIO()
    sink.write(MARK)
    writer = csv.writer(sink, lineterminator="\r\n")
    writer.writerow(HEADER)
    for number, questions in enumerate(units, 1):
        for one in questions:
            writer.writerow([guarded(cell) for cell in _cells(sheet, number, one)])
    path.write_bytes(sink.getvalue().encode())


def _cells(sheet: str, number: int, one: Question) -> list[str]:
    asked = "" if one.asked_us is None else print_seconds(one.asked_us)
    options = "\n".join(f"{letter}) {text}" for letter, text in one.options)
    cells = {
        "sheet": sheet,
        "unit": str(number),
        "id": f"{ID}{one.item_id}",
        "kind": one.kind,
        "dataset": one.dataset,
        "video": one.video_id,
        "media": one.media,
        "start_s": print_seconds(one.start_us),
        "end_s": print_seconds(one.end_us),
        "asked_at_s": asked,
        "question": one.question,
        "options": options,
        "context": one.context,
        "knowledge": one.knowledge,
        "clue": one.clue,
        "proposed": one.proposed,
    }
    return [cells.get(name, "") for name in HEADER]


def read(path: Path) -> list[Entry]:
    """The rows of a sheet, separated by commas, semicolons or tabs; empty rows are skipped.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: it is not a sheet.
    """
    rows = csv_rows(path)
    _, header = next(rows, (1, []))
    names = [cell.strip().lower() for cell in header]
    missing = [name for name in READ if name not in names]
    if missing:
        raise SourceBroken(
            f"{path.name} is no sheet of a review", expected=f"a column {missing[0]!r}",
            found=", ".join(names[:8]) or "an empty file", where=f"{path}:1",
            fix="keep the first row as it was written, and save the sheet as CSV",
        )  # fmt: skip
    place = {name: names.index(name) for name in READ}
    return [
        _entry({name: _cell(row, k) for name, k in place.items()}, f"{path}:{line}")
        for line, row in rows
        if any(cell.strip() for cell in row)
    ]


def _cell(row: Sequence[str], k: int) -> str:
    return row[k].strip().removeprefix("'").strip() if k < len(row) else ""


def _entry(cells: dict[str, str], where: str) -> Entry:
    wrong = tuple(part.strip() for part in cells["wrong"].replace(",", ";").split(";"))
    return Entry(
        where,
        cells["sheet"],
        cells["id"].removeprefix(ID.strip()).strip(),
        cells["answer"],
        cells["valid"],
        tuple(part for part in wrong if part),
        cells["comment"],
    )

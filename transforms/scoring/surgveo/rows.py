"""Rows of scores as CSV: nine columns, one score in each row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from ontology.continuations import (
    DIMENSIONS,
    ERROR_TYPES,
    FIELDS,
    HIGHEST,
    LOWEST,
    PROMPTS,
    TIMES_S,
    ScoreRow,
)
from ontology.errors import UserError, together
from ontology.spreadsheets import guarded, sheet_rows, unguarded

_MAY_BE_EMPTY = ("error_types", "comment")
_FIX = "correct the row and score again"
_KNOWN = {
    "prompt": PROMPTS, "dimension": tuple(DIMENSIONS), "time_s": tuple(map(str, TIMES_S)),
    "score": tuple(map(str, range(LOWEST, HIGHEST + 1))), "error_types": tuple(ERROR_TYPES),
}  # fmt: skip
"""Column -> its possible values."""


def read_rows(path: Path) -> list[ScoreRow]:
    """Return the rows of a file, each with its line number.

    Raises:
        SourceMissing: the file does not exist.
        SourceBroken: it is not a CSV file with the nine columns.
        UserError: a row holds something other than a score from 1 to 5 with a known dimension,
            time and prompt; one error reports all such rows.
    """
    problems: list[UserError] = []
    found = sheet_rows(path, FIELDS, f"{path.name} holds no scores: a column is missing",
                       f"give the file a first row with {','.join(FIELDS)}")  # fmt: skip
    rows = [_row({name: unguarded(cell) for name, cell in cells.items()}, where, problems)
            for where, cells in found]  # fmt: skip
    if problems:
        raise together(problems, "in the scores", "correct the rows and score again")
    return [row for row in rows if row is not None]


def write_rows(rows: Iterable[ScoreRow]) -> bytes:
    """Return the rows as the bytes of a CSV file, in the order given."""
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(FIELDS)
    for row in rows:
        cells = [getattr(row, name) for name in FIELDS]
        cells[FIELDS.index("error_types")] = ";".join(row.error_types)
        cells[FIELDS.index("comment")] = guarded(row.comment)
        writer.writerow(cells)
    return sink.getvalue().encode()


def _row(cells: Mapping[str, str], where: str, problems: list[UserError]) -> ScoreRow | None:
    before = len(problems)
    for name in FIELDS:
        if name not in _MAY_BE_EMPTY and not cells[name]:
            problems.append(UserError(f"no {name}", expected=_expected(name), found="nothing",
                                      where=where, fix=_FIX))  # fmt: skip
    types = tuple(part.strip() for part in cells["error_types"].split(";") if part.strip())
    problems += [
        UserError(f"{name} out of range", expected=_expected(name), found=value, where=where,
                  fix=_FIX)
        for name, known in _KNOWN.items()
        for value in (types if name == "error_types" else (cells[name],))
        if value and value not in known
    ]  # fmt: skip
    if len(problems) > before:
        return None
    return ScoreRow(
        cells["sample_id"], cells["track"], cells["prompt"], cells["rater_id"],
        int(cells["time_s"]), cells["dimension"], int(cells["score"]),
        tuple(name for name in ERROR_TYPES if name in types), cells["comment"], where,
    )  # fmt: skip


def _expected(name: str) -> str:
    return ", ".join(_KNOWN.get(name, ())) or "a name"

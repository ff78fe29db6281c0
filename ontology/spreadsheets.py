"""CSV files that people edit in a spreadsheet: safe cells, and rows with their line numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from surgqa.ontology.errors import ColumnMissing, SyntaxBroken
from surgqa.ontology.files import read_bytes, read_text

MARK = "\ufeff"
"""Byte-order mark; spreadsheets recognise UTF-8 by it."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Characters that can start a formula; some programs accept the last four, full-width forms."""


def guarded(text: str) -> str:
    """Return the text as a cell that no spreadsheet interprets as a formula."""
    return f"'{text}" if _is_risky(text) else text


def unguarded(cell: str) -> str:
    """Return the text of a cell that :func:`guarded` returned."""
    return cell[1:] if cell[:1] == "'" and _is_risky(cell) else cell


def _is_risky(text: str) -> bool:
    """Return whether a text begins like a formula; apostrophes in front of it do not count."""
    begins = text.lstrip("'").lstrip(" ")[:1]
    return bool(begins) and begins in _FORMULA


def csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield first line number and cells of each row; commas, semicolons or tabs separate cells.

    Raises:
        SourceMissing: the file does not exist.
        SourceBroken: the file is not CSV.
    """
    yield from rows_of_csv(read_bytes(path, str(path)), str(path))


def rows_of_csv(data: bytes, name: str) -> Iterator[tuple[int, list[str]]]:
    """Return the same as :func:`csv_rows`, from the bytes of a file.

    Raises:
        SourceBroken: the file is not CSV.
    """
    text = read_text(data, name).removeprefix(MARK)
    # The csv module counts newlines only; convert other line ends, which quoted cells may contain.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    first = text.split("\n", 1)[0]
    between = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=between, strict=True)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise SyntaxBroken(
            f"{PurePath(name).name} cannot be read as CSV", found=str(error),
            where=f"{name}:{line}", fix="open it in a spreadsheet and save it as CSV again",
        ) from None  # fmt: skip


def csv_bytes(rows: Iterable[Iterable[str]]) -> bytes:
    """Return the bytes of a CSV file for spreadsheets; the cells are written as they are."""
    sink = io.StringIO()
    sink.write(MARK)
    csv.writer(sink, lineterminator="\r\n").writerows(rows)
    return sink.getvalue().encode()


def sheet_rows(
    path: Path, columns: Sequence[str], problem: str, fix: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield ``FILE:LINE`` and the cells of these columns, for each row that is not empty.

    Args:
        columns: names of the columns. The file may have more, in any order and in upper or lower
            case.
        problem: the message if a column is missing.
        fix: advice for the user if the file cannot be read.

    Raises:
        SourceMissing: the file does not exist.
        SourceBroken: the file is not CSV, or a column is missing.
    """
    rows = csv_rows(path)
    _, header = next(rows, (1, []))
    names = [cell.strip().lower() for cell in header]
    missing = [name for name in columns if name not in names]
    if missing:
        raise ColumnMissing(problem, expected=f"a column {missing[0]!r}", where=f"{path}:1",
                           found=", ".join(names[:8]) or "an empty file", fix=fix)  # fmt: skip
    place = {name: names.index(name) for name in columns}
    for line, row in rows:
        if any(cell.strip() for cell in row):
            yield (
                f"{path}:{line}",
                {name: row[k].strip() if k < len(row) else "" for name, k in place.items()},
            )

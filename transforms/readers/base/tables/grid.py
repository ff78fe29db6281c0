"""A user's tables: comma-, semicolon- or tab-separated text, or Parquet, as rows of texts."""

from __future__ import annotations

import csv
import datetime
import io
from dataclasses import dataclass
from typing import Any

from ontology.errors import SourceBroken
from ontology.files import read_text

SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A parsed table; two are equal only if they are one.

    Attributes:
        columns: names as the header spells them; numbers from 1 where there is none.
        rows: (line, cells), as many cells as there are columns, without blanks around.
        bad: (line, reason) of all other lines that are not blank.
        decimal_comma: whether ``2,5`` may mean two and a half.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    bad: tuple[tuple[int, str], ...] = ()
    decimal_comma: bool = False

    def column(self, name: str) -> int | None:
        """Position of a column; upper and lower case do not matter unless both are there."""
        if name in self.columns:
            return self.columns.index(name)
        plain = [column.casefold() for column in self.columns]
        return plain.index(name.casefold()) if plain.count(name.casefold()) == 1 else None

    def place(self, line: int) -> str:
        """``file:line``."""
        return f"{self.name}:{line}"

    def refuse_bad(self) -> None:
        """Raise where a line is no row: for tables that many videos share.

        Raises:
            SourceBroken: names the first such line.
        """
        for line, reason in self.bad:
            raise SourceBroken(
                f"{self.name} has a line that is no row",
                expected=f"{len(self.columns)} cells: {', '.join(self.columns)}",
                found=reason,
                where=self.place(line),
                fix="mend or delete this line",
            )


def read_grid(data: bytes, name: str) -> Grid:
    """A table whose first line holds the names of its columns.

    Raises:
        SourceBroken: empty, not text, or not Parquet where the name says so.
    """
    return _parquet(data, name) if name.lower().endswith(".parquet") else _text(data, name, True)


def read_headless(data: bytes, name: str) -> Grid:
    """A text table without a line of names: columns are called 1, 2, 3, …

    Raises:
        SourceBroken: empty, or not text.
    """
    return _text(data, name, False)


def _text(data: bytes, name: str, header: bool) -> Grid:
    text = _decoded(data, name)
    lines, separator = _lines(text, name)
    if not lines:
        raise SourceBroken(f"{name} is empty", expected="a table", where=f"{name}:1")
    width = len(lines[0][1])
    columns = lines.pop(0)[1] if header else [str(n) for n in range(1, width + 1)]
    rows, bad = [], []
    for line, cells in lines:
        if len(cells) == width:
            rows.append((line, tuple(map(str.strip, cells))))
        else:
            bad.append((line, f"{len(cells)} cells where {width} columns are"))
    names = tuple(map(str.strip, columns))
    return Grid(name, names, tuple(rows), tuple(bad), separator != ",")


def _decoded(data: bytes, name: str) -> str:
    try:
        return read_text(data, name)
    except SourceBroken as error:
        line = data[: _first_bad(data)].count(b"\n") + 1
        raise SourceBroken(
            error.summary, found=error.found, where=f"{name}:{line}", fix=error.fix
        ) from None


def _first_bad(data: bytes) -> int:
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return error.start
    return len(data)


def _lines(text: str, name: str) -> tuple[list[tuple[int, list[str]]], str]:
    """Cells of every line that is not blank; the separator is the one that cuts line 1 most."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    try:
        cuts = [len(next(csv.reader([first], delimiter=one), [])) for one in SEPARATORS]
        separator = SEPARATORS[cuts.index(max(cuts))]
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        lines = [(reader.line_num, cells) for cells in reader if any(map(str.strip, cells))]
    except csv.Error as error:
        raise SourceBroken(
            f"{name} is not a table", expected="cells between commas, semicolons or tabs",
            found=str(error), where=f"{name}:1", fix="save the table as CSV again",
        ) from None  # fmt: skip
    return lines, separator


def _parquet(data: bytes, name: str) -> Grid:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(pa.BufferReader(data))
        columns = [[_cell(value) for value in column.to_pylist()] for column in table.columns]
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise SourceBroken(
            f"{name} is not Parquet", expected="a whole Parquet file",
            found=str(error).splitlines()[0], where=f"{name}:{len(data)}",
            fix="write the file again",
        ) from None  # fmt: skip
    rows = enumerate(zip(*columns, strict=True), 1)
    return Grid(name, tuple(map(str, table.column_names)), tuple(rows))


def _cell(value: Any) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.timedelta):
        return str(value.total_seconds())
    return str(value).strip()

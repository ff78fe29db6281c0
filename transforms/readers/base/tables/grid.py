"""User-supplied tables (comma-, semicolon- or tab-separated text, or Parquet) as rows of texts."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.errors import SourceBroken, SyntaxBroken
from surgqa.ontology.files import empty_file, read_text
from surgqa.ontology.json_text import read_json
from surgqa.ontology.sections import fraction

SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True, eq=False)
class ParsedTable:
    """A parsed table. Two tables are equal only if they are the same object.

    Attributes:
        columns: names as in the header; "1", "2", … if there is no header.
        rows: (line, cells), as many cells as there are columns, without blanks around.
        bad: (line, reason) of all other lines that are not blank.
        decimal_comma: whether ``2,5`` may mean two and a half.
        list: key of the JSON list that the rows are from; '' for a table.
        cut: number of the last line if it has no line end; otherwise 0.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    bad: tuple[tuple[int, str], ...] = ()
    decimal_comma: bool = False
    list: str = ""
    cut: int = 0

    def column(self, name: str) -> int | None:
        """Return a column's position; case counts only if the name occurs in several cases."""
        if name in self.columns:
            return self.columns.index(name)
        plain = [column.casefold() for column in self.columns]
        return plain.index(name.casefold()) if plain.count(name.casefold()) == 1 else None

    def place(self, line: int) -> str:
        """Return the place of a row: ``file:line``, or ``file list[number]`` for a JSON list."""
        return f"{self.name} {self.list}[{line}]" if self.list else f"{self.name}:{line}"

    def refuse_bad(self) -> None:
        """Raise an error if a line is malformed; used for tables that many videos share.

        Raises:
            SourceBroken: a line is malformed. The error names the first such line.
        """
        for line, reason in self.bad:
            raise SyntaxBroken(
                f"{self.name} has a malformed line",
                expected=f"{len(self.columns)} cells: {', '.join(self.columns)}",
                found=reason,
                where=self.place(line),
                fix="correct or delete this line",
            )


def read_grid(data: bytes, name: str) -> ParsedTable:
    """Read a table whose first line holds the names of its columns.

    Raises:
        SourceBroken: the file is empty, not text, or not Parquet although its name ends in
            ``.parquet``.
    """
    return _parquet(data, name) if name.lower().endswith(".parquet") else _text(data, name, True)


def read_headless(data: bytes, name: str) -> ParsedTable:
    """Read a text table without a header line; its columns are called 1, 2, 3, …

    Raises:
        SourceBroken: the file is empty, or not text.
    """
    return _text(data, name, False)


def read_named(data: bytes, name: str, columns: Sequence[str], blanks: bool) -> ParsedTable:
    """Read a text table without a header line; ``columns`` are the names of its columns.

    Args:
        blanks: True if any runs of blanks and tabs separate the cells.

    Raises:
        SourceBroken: the file is not text.
    """
    return _text(data, name, False, columns, blanks)


def read_list(
    data: bytes, name: str, key: str, columns: Sequence[str], words: Sequence[str]
) -> ParsedTable:
    """Read the list below a key of a JSON object: one row for each object, counted from 0.

    Args:
        columns: fields of the objects. A number that is written as text keeps its quotes.
        words: the fields that must be texts.

    Raises:
        SourceBroken: the file is not JSON, or has no list below this key.
    """
    text = read_json(data, name)
    items, twice = text.data.get(key), key in text.repeated.get("", {})
    if not isinstance(items, list) or twice:
        raise SourceBroken(
            f"{name} has no list of {key}", expected=f'one list "{key}"', where=f"{name}:1",
            found="two of them" if twice else f"a {type(items).__name__}",
            fix="download the file again",
        )  # fmt: skip
    rows, bad = [], []
    for number, item in enumerate(items):
        if isinstance(item, dict) and all(isinstance(item.get(word), str) for word in words):
            rows.append((number, tuple(_json_cell(item.get(column)) for column in columns)))
        else:
            bad.append((number, f"an item of this list has no text {' and '.join(words)}"))
    return ParsedTable(name, tuple(columns), tuple(rows), tuple(bad), list=key)


def _json_cell(value: Any) -> str:
    if isinstance(value, str):
        return repr(value) if fraction(value) is not None else value.strip()
    return "" if value is None else str(value)[:40]


def _text(
    data: bytes, name: str, header: bool, names: Sequence[str] = (), blanks: bool = False
) -> ParsedTable:
    text = _decoded(data, name)
    lines, separator = _lines(text, name, blanks)
    if not lines and not names:
        raise empty_file(name, "a table")
    width = len(names or lines[0][1])
    columns = lines.pop(0)[1] if header else names or [str(n) for n in range(1, width + 1)]
    rows, bad = [], []
    for line, cells in lines:
        if len(cells) == width:
            rows.append((line, tuple(map(str.strip, cells))))
        else:
            bad.append((line, f"{len(cells)} cells where {width} columns are"))
    last = 0 if text.endswith("\n") else max((line for line, _ in lines), default=0)
    return ParsedTable(name, tuple(map(str.strip, columns)), tuple(rows), tuple(bad),
                separator not in ",", cut=last)  # fmt: skip


def _decoded(data: bytes, name: str) -> str:
    try:
        return read_text(data, name)
    except SourceBroken as error:
        line = data[: _first_bad(data)].count(b"\n") + 1
        raise SyntaxBroken(
            error.summary, found=error.found, where=f"{name}:{line}", fix=error.fix
        ) from None


def _first_bad(data: bytes) -> int:
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return error.start
    return len(data)


def _lines(text: str, name: str, blanks: bool) -> tuple[list[tuple[int, list[str]]], str]:
    """Return the cells of every line that is not blank.

    The separator is the character that splits line 1 into most cells.
    """
    if blanks:
        split = ((number, line.split()) for number, line in enumerate(text.split("\n"), 1))
        return [(number, cells) for number, cells in split if cells], ""
    first = next((line for line in text.split("\n") if line.strip()), "")
    try:
        cuts = [len(next(csv.reader([first], delimiter=one), [])) for one in SEPARATORS]
        separator = SEPARATORS[cuts.index(max(cuts))]
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        lines = [(reader.line_num, cells) for cells in reader if any(map(str.strip, cells))]
    except csv.Error as error:
        raise SyntaxBroken(
            f"{name} is not a table", expected="cells between commas, semicolons or tabs",
            found=str(error), where=f"{name}:1", fix="save the table as CSV again",
        ) from None  # fmt: skip
    return lines, separator


def _parquet(data: bytes, name: str) -> ParsedTable:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(pa.BufferReader(data))
        columns = [[_cell(value) for value in column.to_pylist()] for column in table.columns]
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise SyntaxBroken(
            f"{name} is not Parquet", expected="a whole Parquet file",
            found=str(error).splitlines()[0], where=f"{name}:{len(data)}",
            fix="write the file again",
        ) from None  # fmt: skip
    rows = enumerate(zip(*columns, strict=True), 1)
    return ParsedTable(name, tuple(map(str, table.column_names)), tuple(rows))


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

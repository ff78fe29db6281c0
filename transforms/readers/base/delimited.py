"""Tables as text: comma-, semicolon-, tab- or blank-separated, with columns found by name."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from surgqa.ontology.errors import ColumnMissing, SyntaxBroken
from surgqa.ontology.files import empty_file, read_text
from surgqa.ontology.records import Code
from surgqa.transforms.readers.base.ledger import Ledger

BLANKS = " "
"""Delimiter for files whose cells are separated by any run of blanks and tabs."""


@dataclass(frozen=True, slots=True)
class DelimitedLine:
    """One line: its number (from 1), and each column's cell by the name that :func:`fold` gives."""

    line: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]


@dataclass(frozen=True, slots=True)
class Delimited:
    """A parsed table.

    Attributes:
        name: path relative to the root.
        columns: folded names in the order of the file.
        rows: lines with as many cells as there are columns.
        bad: (line, reason) of all other lines; blank lines are in neither list.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[DelimitedLine, ...]
    bad: tuple[tuple[int, str], ...]

    def place(self, row: DelimitedLine) -> str:
        """Return ``file:line`` of a row."""
        return f"{self.name}:{row.line}"

    def reject_bad(self, ledger: Ledger) -> None:
        """Record a rejection for each malformed line."""
        for line, reason in self.bad:
            ledger.reject((line,), Code.BAD_ROW, reason, f"{self.name}:{line}")

    def refuse_bad(self) -> None:
        """Raise if a line is malformed.  Use this for tables that many videos share.

        Raises:
            SourceBroken: a line is malformed; the error names the first such line.
        """
        for line, reason in self.bad:
            raise SyntaxBroken(
                f"{self.name} has a malformed line",
                expected=f"{len(self.columns)} cells: {', '.join(self.columns)}",
                found=reason,
                where=f"{self.name}:{line}",
                fix="download the file again, or correct this line",
            )

    @property
    def read(self) -> int:
        """Lines that are not blank, without the header."""
        return len(self.rows) + len(self.bad)


def fold(name: str) -> str:
    """Return a column's name without case, blanks, punctuation: ``Two Words`` -> ``twowords``."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def read_delimited(
    data: bytes,
    name: str,
    needed: Sequence[str],
    *,
    delimiter: str = ",",
    header: Sequence[str] | None = None,
    aliases: Mapping[str, str] | None = None,
) -> Delimited:
    """Parse a table.

    Args:
        data: the file's bytes; a byte-order mark, Windows line ends and blank lines are accepted.
        name: path relative to the dataset's root.
        needed: required columns; further columns are kept.  All names are folded.
        delimiter: one character, or :data:`BLANKS`.
        header: the column names, for files without a header line.
        aliases: for each alternative spelling of a column, its name. Both are folded before
            comparison.

    Raises:
        SourceBroken: the file is empty, is not UTF-8, or lacks a needed column.
    """
    lines = _lines(read_text(data, name), delimiter)
    if header is None:
        if not lines:
            raise empty_file(name, ", ".join(needed))
        first, header = lines.pop(0)
    else:
        first = 1
    columns = folded_columns(header, needed, aliases, f"{name}:{first}")
    rows, bad = [], []
    for line, cells in lines:
        if len(cells) == len(columns):
            rows.append(DelimitedLine(line, dict(zip(columns, map(str.strip, cells), strict=True))))
        else:
            bad.append((line, f"{len(cells)} cells where {len(columns)} columns are"))
    return Delimited(name, columns, tuple(rows), tuple(bad))


def folded_columns(
    header: Sequence[str], needed: Sequence[str], aliases: Mapping[str, str] | None, where: str
) -> tuple[str, ...]:
    """Return the folded names of a header's columns; aliases are replaced by what they stand for.

    Args:
        where: ``file:line`` of the header.

    Raises:
        SourceBroken: a needed column is missing.
    """
    known = {fold(k): fold(v) for k, v in (aliases or {}).items()}
    columns = tuple(known.get(fold(cell), fold(cell)) for cell in header)
    if any(fold(column) not in columns for column in needed):
        raise ColumnMissing(
            f"{where.rpartition(':')[0]} lacks a column", expected=", ".join(needed),
            found=", ".join(header), where=where,
            fix="download the file again, or name the columns as the dataset does",
        )  # fmt: skip
    return columns


def _lines(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return cells of every line that is not blank, with the line's number."""
    if delimiter == BLANKS:
        split = ((n, line.split()) for n, line in enumerate(text.split("\n"), 1))
        return [(n, cells) for n, cells in split if cells]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    return [(reader.line_num, cells) for cells in reader if any(map(str.strip, cells))]


def whole_number(text: str) -> int | None:
    """Return a whole number of at most 15 digits, also written ``3.0``; None for anything else."""
    match = re.fullmatch(r"([+-]?\d{1,15})(?:\.0*)?", text.strip())
    return int(match[1]) if match else None


def number(text: str) -> float | None:
    """Return a finite decimal number, exponent of at most 2 digits; None for anything else."""
    text = text.strip()
    if not re.fullmatch(r"[+-]?(\d{1,15}(\.\d*)?|\.\d+)([eE][+-]?\d{1,2})?", text):
        return None
    return float(text)

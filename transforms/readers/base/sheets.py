"""Read workbooks (.xlsx) into the same table type as text files."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence

from surgqa.ontology.errors import SyntaxBroken
from surgqa.ontology.files import empty_file
from surgqa.transforms.readers.base.delimited import Delimited, DelimitedLine, folded_columns


def read_sheet(
    data: bytes, name: str, needed: Sequence[str], *, aliases: Mapping[str, str] | None = None
) -> Delimited:
    """Return the table in a workbook's first sheet; its first non-blank row holds the column names.

    Numbers are returned as their shortest text (``3``, ``2.5``), empty cells as ''.

    Raises:
        SourceBroken: the file is not a workbook, is empty, or lacks a needed column.
    """
    rows = _rows(data, name)
    if not rows:
        raise empty_file(name, ", ".join(needed))
    first, header = rows.pop(0)
    columns = folded_columns(header, needed, aliases, f"{name}:{first}")
    found = [DelimitedLine(line, dict(zip(columns, cells, strict=False))) for line, cells in rows]
    return Delimited(name, columns, tuple(found), ())


def _rows(data: bytes, name: str) -> list[tuple[int, list[str]]]:
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheet = book[book.sheetnames[0]]
        sheet.reset_dimensions()
        rows = [
            (line, [_text(value) for value in values])
            for line, values in enumerate(sheet.iter_rows(values_only=True), 1)
        ]
    except (InvalidFileException, zipfile.BadZipFile, zlib.error, KeyError, ValueError, OSError,
            EOFError, SyntaxError, IndexError, AttributeError, TypeError, NotImplementedError,
            RuntimeError) as error:  # fmt: skip
        raise SyntaxBroken(
            f"{name} is not a workbook",
            expected="an .xlsx file with one table",
            found=f"{type(error).__name__}: {error}",
            where=f"{name}:1",
            fix="download the file again, or save it as .xlsx",
        ) from None
    width = max((len(cells) for _, cells in rows), default=0)
    padded = [(line, cells + [""] * (width - len(cells))) for line, cells in rows]
    return [(line, cells) for line, cells in padded if any(cells)]


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value).strip()

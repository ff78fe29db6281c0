"""CSV that people open in a spreadsheet and save again: cells, and rows with their lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from ontology.errors import SourceBroken
from ontology.files import read_bytes, read_text

MARK = "\ufeff"
"""Byte-order mark, by which spreadsheets tell UTF-8."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The last four are the wide forms of the first: some spreadsheets read them as well."""


def guarded(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if _is_risky(text) else text


def unguarded(cell: str) -> str:
    """The counterpart of :func:`guarded`."""
    return cell[1:] if cell[:1] == "'" and _is_risky(cell) else cell


def _is_risky(text: str) -> bool:
    """A formula, whatever quotes stand before it: so every guard can be taken off again."""
    begins = text.lstrip("'").lstrip(" ")[:1]
    return bool(begins) and begins in _FORMULA


def csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line on which a row begins, and its cells; commas, semicolons or tabs between them.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: it is no CSV.
    """
    text = read_text(read_bytes(path, str(path)), str(path)).removeprefix(MARK)
    # A quoted cell may hold lines; other ends than a newline would hide them from the count.
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
        raise SourceBroken(
            f"{path.name} cannot be read as CSV", found=str(error), where=f"{path}:{line}",
            fix="open it in a spreadsheet and save it as CSV again",
        ) from None  # fmt: skip

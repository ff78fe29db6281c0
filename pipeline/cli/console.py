"""Print results to standard output and everything else to standard error."""

from __future__ import annotations

import os
import shlex
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from surgqa.ontology.files import writing

WIDTH = 100


class Talk:
    """Prints messages that are not results; ``quiet`` keeps only errors."""

    def __init__(self) -> None:
        self.quiet = False

    def say(self, text: str) -> None:
        """Print one message to standard error."""
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)


talk = Talk()


def is_live() -> bool:
    """Return whether standard error is a terminal that can be redrawn and coloured."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stderr.isatty() and not plain


def write_result(text: str) -> None:
    """Print a result to standard output."""
    print(text)


def write_json(value: Any, path: Path | None = None) -> None:
    """Write sorted, indented JSON to standard output, or to a file if one is given.

    Raises:
        UserError: the file cannot be written.
    """
    import orjson

    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    data = orjson.dumps(value, option=options | orjson.OPT_SERIALIZE_NUMPY)
    if path is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)  # JSON is UTF-8, whatever the encoding of the terminal
        return
    write_file(path, data)


def write_file(path: Path, data: bytes) -> None:
    """Write bytes to a file whose folder exists.

    Raises:
        UserError: the file cannot be written.
    """
    with writing(path):
        path.write_bytes(data)


def shown(path: object) -> str:
    """Return a path as it is typed in a shell: in quotes if it contains blanks, for example."""
    return shlex.quote(str(path))


def table(rows: Sequence[Sequence[object]]) -> str:
    """Format rows as aligned columns; columns of integers are right-aligned, headers included."""
    count = max((len(row) for row in rows), default=0)
    columns = [[row[i] for row in rows if i < len(row)] for i in range(count)]
    widths = [max(len(str(cell)) for cell in column) for column in columns]
    right = [_is_numbers(column) for column in columns]
    lines = []
    for row in rows:
        cells = [
            str(cell).rjust(width) if numbers else str(cell).ljust(width)
            for cell, width, numbers in zip(row, widths, right, strict=False)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _is_numbers(column: Sequence[object]) -> bool:
    """Return whether a column has only integers, apart from a header."""
    body = column if isinstance(column[0], int) else column[1:]
    return bool(body) and all(isinstance(cell, int) for cell in body)


def fields(values: Mapping[str, object], indent: str = "") -> str:
    """Format ``name   value`` lines; long texts are wrapped, lists get a line per element."""
    width = max((len(name) for name in values), default=0) + 2
    lines = []
    for name, value in values.items():
        entries = [str(v) for v in value] if isinstance(value, (list, tuple)) else [str(value)]
        room = max(20, WIDTH - width - len(indent))
        cut = textwrap.TextWrapper(room, break_long_words=False, break_on_hyphens=False)
        wrapped = [line for entry in entries for line in cut.wrap(entry) or [""]] or ["-"]
        head = f"{indent}{name:<{width}}"
        lines.append(head + wrapped[0])
        lines += [" " * len(head) + line for line in wrapped[1:]]
    return "\n".join(lines)

"""Rows of the hand-written pages that the generated ones repeat."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from ontology.errors import UserError
from ontology.files import read_bytes, read_text

_CELL = re.compile(r"(?<!\\)\|")
_NAME = re.compile(r"`([a-z0-9_*]+)`")


@dataclass(frozen=True, slots=True)
class Described:
    """A task in ``answers.md``: schema of the answer value, and what makes it true."""

    value: str
    truth: str


def answer_rows(folder: Path) -> dict[tuple[str, str], Described]:
    """(benchmark, task name) -> its row of ``answers.md``."""
    rows: dict[tuple[str, str], Described] = {}
    benchmark = ""
    for line in _text(folder, "answers.md").splitlines():
        heading = re.match(r"## .*`benchmark` = `([a-z0-9_]+)`", line)
        benchmark = heading.group(1) if heading else benchmark
        cells = _cells(line)
        if benchmark and len(cells) == 5:
            for name in _NAME.findall(cells[1]):
                rows[benchmark, name] = Described(cells[3], cells[4])
    return rows


def metric(name: str, folder: Path) -> str:
    """How a task is scored, from the table of ``scoring.md``.

    Raises:
        UserError: no row names the task.
    """
    for line in _text(folder, "scoring.md").splitlines():
        cells = _cells(line)
        if len(cells) == 2 and any(fnmatchcase(name, p) for p in _NAME.findall(cells[0])):
            return cells[1]
    raise UserError(
        f"docs/scoring.md does not say how {name!r} is scored",
        expected=f"a row '| `{name}` | how |' under Tasks",
        where="docs/scoring.md",
    )


def described(benchmark: str, name: str, folder: Path) -> Described:
    """The task's row of ``answers.md``.

    Raises:
        UserError: there is none.
    """
    rows = answer_rows(folder)
    if (benchmark, name) not in rows:
        raise UserError(
            f"docs/answers.md does not describe {benchmark} {name!r}",
            expected="core task | `name` | form | `answer_value` | truth",
            where="docs/answers.md",
        )
    return rows[benchmark, name]


def found_by(finder: str, folder: Path) -> Described:
    """What a finder's questions answer, from the table of finders in ``answers.md``.

    A row may hold several finders; where its texts have as many parts, with semicolons
    between, each is about one of them.

    Raises:
        UserError: no row names the finder.
    """
    for line in _text(folder, "answers.md").splitlines():
        cells = _cells(line)
        names = _NAME.findall(cells[0]) if len(cells) == 4 else []
        if finder in names:
            value, truth = (_part(cell, names.index(finder), len(names)) for cell in cells[2:])
            return Described(value, truth)
    raise UserError(
        f"docs/answers.md does not say what {finder!r} answers",
        expected="`name` | mode | `answer_value` | truth",
        where="docs/answers.md",
    )


def _part(cell: str, number: int, of: int) -> str:
    parts = cell.split("; ")
    return parts[number] if len(parts) == of else cell


def content(case: str, folder: Path) -> str:
    """How the content of a response is scored, from the row of that case in ``scoring.md``.

    Raises:
        UserError: there is no such row.
    """
    for line in _text(folder, "scoring.md").splitlines():
        cells = _cells(line)
        if len(cells) == 2 and cells[0] == case:
            return cells[1]
    raise UserError(
        f"docs/scoring.md does not say how content is scored: {case!r}",
        expected=f"a row '| {case} | how |' under Content",
        where="docs/scoring.md",
    )


def _cells(line: str) -> list[str]:
    if not line.startswith("|"):
        return []
    return [cell.strip() for cell in _CELL.split(line.strip()[1:-1])]


def _text(folder: Path, name: str) -> str:
    return read_text(read_bytes(folder / name, f"docs/{name}"), f"docs/{name}")

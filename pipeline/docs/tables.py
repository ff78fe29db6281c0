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


def _cells(line: str) -> list[str]:
    if not line.startswith("|"):
        return []
    return [cell.strip() for cell in _CELL.split(line.strip()[1:-1])]


def _text(folder: Path, name: str) -> str:
    return read_text(read_bytes(folder / name, f"docs/{name}"), f"docs/{name}")

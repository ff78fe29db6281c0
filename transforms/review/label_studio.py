"""Files of Label Studio: write tasks and the interface of a project, and read an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import orjson

from surgqa.ontology.errors import SourceBroken, SyntaxBroken
from surgqa.ontology.files import read_bytes

CONFIG = "config.xml"


def write_tasks(tasks: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write tasks to a JSON file that can be imported into a Label Studio project."""
    path.write_bytes(orjson.dumps(tasks, option=orjson.OPT_INDENT_2))


def write_interface(folder: Path, *lines: str) -> None:
    """Write the labelling interface of a project, given its XML elements, one for each line."""
    text = "".join(f"  {line}\n" for line in lines)
    (folder / CONFIG).write_text(f"<View>\n{text}</View>\n", encoding="utf-8")


def valued(control: str, values: Sequence[str]) -> list[str]:
    """Return one XML element (``Choice`` or ``Label``, named by ``control``) for each value."""
    return [f"  <{control} value={quoteattr(one)}/>" for one in values]


def tasks_of(path: Path) -> list[Any]:
    """Return the tasks of an export in the format ``JSON`` (``JSON-MIN`` drops unchanged regions).

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: the file is not a list of tasks.
    """
    try:
        tasks = orjson.loads(read_bytes(path, str(path)))
    except orjson.JSONDecodeError as error:
        raise SyntaxBroken(f"{path.name} is not JSON", found=str(error), where=str(path)) from None
    if not isinstance(tasks, list):
        raise SourceBroken(
            f"{path.name} is not a Label Studio export", expected="a list of tasks",
            found=type(tasks).__name__, where=str(path), fix="export the project as 'JSON'",
        )  # fmt: skip
    return tasks


def last_done(annotations: Sequence[Any]) -> Mapping[str, Any] | None:
    """Return the last annotation that was not cancelled; None if there is none."""
    done = [one for one in annotations if isinstance(one, Mapping) and not one.get("was_cancelled")]
    return done[-1] if done else None

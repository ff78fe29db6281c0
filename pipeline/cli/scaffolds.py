"""Files that ``surgqa new`` writes, made from the texts in ``scaffold/``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from ontology.errors import UserError
from pipeline.cli.names import unknown

Files = dict[Path, str]
"""Path of a new file -> its text."""

STARTS = {
    "count": "how often something happens in a clip",
    "box": "where an instrument is at a moment of a clip",
    "picture": "what a single picture shows",
    "state": "what is under way at a time",
    "past": "what has just ended or left",
    "next": "what comes next",
    "alert": "a stream in which to speak up when something begins",
    "chain": "three questions about one event: what, in which segment, when",
    "recording": "something about a whole recording",
}
"""Starting point of a template -> what it asks."""

_READER_FILES = ("__init__.py", "card.yaml", "files.yaml", "map.yaml", "reader.py", "sample.py")
_OPERATOR_FILES = (
    "__init__.py", "signature.py", "naive.py", "columns.py", "sql.py", "example.yaml",
)  # fmt: skip


def template_files(name: str, folder: Path, like: str) -> tuple[Files, str]:
    """The file of a template, and the next commands.

    Args:
        like: a key of :data:`STARTS`.

    Raises:
        UserError: the name is not ``group.name``, or there is no such starting point.
    """
    if not re.fullmatch(r"[a-z0-9_]+\.[a-z0-9_]+", name):
        raise UserError(
            "not a template id",
            expected="group.name in lower case, such as mine.how_many",
            found=name,
            where="NAME",
        )
    if like not in STARTS:
        raise unknown("starting point", like, STARTS, "surgqa new --help")
    group, last = name.split(".")
    path = folder / group / f"{last}.yaml"
    then = (
        f"edit it, then: surgqa lint {path}\n"
        f"and then: surgqa preview {path}\n"
        f"asked by: surgqa build --templates {folder} --benchmark {group} …"
    )
    words = {"ID": name, "BENCHMARK": group, "NAME": last}
    return {path: _filled(f"question/{like}.yaml", words)}, then


def reader_files(name: str, folder: Path) -> tuple[Files, str]:
    """A package with a dataset's reader and its test, and the next commands.

    Raises:
        UserError: not a valid name, or a dataset has this name.
    """
    from transforms.registry import datasets

    _check_name(name, "a dataset's name", "my_data")
    if name in datasets():
        raise UserError("there is a dataset of that name", found=name, where="NAME",
                        fix="choose another name")  # fmt: skip
    return _package("reader", name, folder, _READER_FILES)


def operator_files(name: str, folder: Path) -> tuple[Files, str]:
    """A package with an operator in its four forms and their test, and the next commands.

    Raises:
        UserError: not a valid name, or an operator has this name.
    """
    from transforms.algebra.signature import signatures

    _check_name(name, "an operator's name", "midpoint")
    if name in signatures():
        raise UserError("there is an operator of that name", found=name, where="NAME",
                        fix="choose another name")  # fmt: skip
    return _package("operator", name, folder, _OPERATOR_FILES)


def scorer_files(name: str, folder: Path) -> tuple[Files, str]:
    """A package with a scorer and its test, and the next commands.

    Raises:
        UserError: not a valid name.
    """
    _check_name(name, "a scorer's name", "my_score")
    files, then = _package("scorer", name, folder, ("__init__.py",))
    return files, f"{then}\nnamed in a template: scorer: {name}"


def export_files(name: str, folder: Path) -> tuple[Files, str]:
    """A package with an export format and its test, and the next commands.

    Raises:
        UserError: not a valid name, or a format has this name.
    """
    from transforms.exports.formats import formats

    _check_name(name, "a format's name", "my_format")
    if name.replace("_", "-") in formats():
        raise UserError("there is a format of that name", found=name, where="NAME",
                        fix="choose another name")  # fmt: skip
    files, then = _package("export", name, folder, ("__init__.py",))
    return files, f"{then}\nwritten by: surgqa export OUT --as {name.replace('_', '-')} --to DIR"


def _package(kind: str, name: str, folder: Path, parts: Sequence[str]) -> tuple[Files, str]:
    """An installable package of one unit, with its contract test."""
    package = f"surgqa_{name}"
    base = folder / package
    words = {"NAME": name, "PACKAGE": package, "FORMAT": name.replace("_", "-")}
    files = {base / package / one: _filled(f"{kind}/{one}", words) for one in parts}
    files[base / "pyproject.toml"] = _filled(f"{kind}/pyproject.toml", words)
    files[base / "tests" / f"test_{name}.py"] = _filled(f"{kind}/test.py", words)
    then = (
        f"install it: python -m pip install --editable {base}\n"
        f"edit it until its test passes: python -m pytest {base / 'tests'}"
    )
    return files, then


def _check_name(name: str, what: str, such_as: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise UserError(
            f"not {what}",
            expected=f"lower-case letters, digits and _, such as {such_as}",
            found=name,
            where="NAME",
        )


def _filled(file: str, words: dict[str, str]) -> str:
    base = resources.files("pipeline") / "cli" / "scaffold"
    text = (base / f"{file}.txt").read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text

"""Files that ``surgqa new`` writes, from the texts in ``scaffold/``."""

from __future__ import annotations

import re
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
"""Starting points of templates: name -> what is asked."""

_READER_FILES = ("__init__.py", "card.yaml", "files.yaml", "reader.py", "sample.py")
_OPERATOR_FILES = (
    "__init__.py", "signature.py", "naive.py", "columns.py", "sql.py", "example.yaml",
)  # fmt: skip


def template_files(name: str, folder: Path, like: str) -> tuple[Files, str]:
    """The file of a template, and what to do next.

    Args:
        like: of :data:`STARTS`.

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


def reader_files(name: str, checkout: Path) -> tuple[Files, str]:
    """The files of a reader, and what to do next.

    Raises:
        UserError: not a name, or ``checkout`` is not a checkout of surgqa.
    """
    _check_name(name, "a dataset's name", "my_data")
    readers = checkout / "transforms" / "readers"
    if not readers.is_dir():
        raise UserError(
            "a reader is written inside a checkout of surgqa",
            expected="a folder transforms/readers here",
            found=str(checkout),
            fix="clone the repository and run this in its folder",
        )
    words = {"NAME": name}
    files = {readers / name / file: _filled(f"reader/{file}", words) for file in _READER_FILES}
    files[checkout / "ontology" / "maps" / f"{name}.yaml"] = _filled("reader/map.yaml", words)
    then = (
        "write sample.py first, then reader.py, until the contract passes:\n"
        f"  python -m pytest tests/readers -k {name}"
    )
    return files, then


def operator_files(name: str, folder: Path) -> tuple[Files, str]:
    """A package with one operator in its four forms and their test, and what to do next.

    Raises:
        UserError: not a name, or there is an operator of that name.
    """
    from transforms.algebra.signature import signatures

    _check_name(name, "an operator's name", "midpoint")
    if name in signatures():
        raise UserError("there is an operator of that name", found=name, where="NAME",
                        fix="choose another name")  # fmt: skip
    package = f"surgqa_{name}"
    base, words = folder / package, {"NAME": name, "PACKAGE": package}
    files = {base / package / one: _filled(f"operator/{one}", words) for one in _OPERATOR_FILES}
    files[base / "pyproject.toml"] = _filled("operator/pyproject.toml", words)
    files[base / "tests" / f"test_{name}.py"] = _filled("operator/test.py", words)
    return files, _package_then(base)


def scorer_files(name: str, folder: Path) -> tuple[Files, str]:
    """A package with one scorer and its test, and what to do next.

    Raises:
        UserError: not a name.
    """
    _check_name(name, "a scorer's name", "my_score")
    package = f"surgqa_{name}"
    base, words = folder / package, {"NAME": name, "PACKAGE": package}
    files = {
        base / package / "__init__.py": _filled("scorer/__init__.py", words),
        base / "pyproject.toml": _filled("scorer/pyproject.toml", words),
        base / "tests" / f"test_{name}.py": _filled("scorer/test.py", words),
    }
    return files, f"{_package_then(base)}\nnamed in a template: scorer: {name}"


def _package_then(base: Path) -> str:
    return (
        f"install it: python -m pip install --editable {base}\n"
        f"edit it until its test passes: python -m pytest {base / 'tests'}"
    )


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

"""Files that ``surgqa new`` writes, made from the texts in ``scaffold/``."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from pkgutil import resolve_name
from typing import NamedTuple

from surgqa.ontology.errors import NameTaken, ValueInvalid
from surgqa.pipeline.cli.console import shown
from surgqa.pipeline.cli.given import unknown

Files = dict[Path, str]
"""Path of a new file -> its text."""

STARTS = {
    "count": "how often something happens in a clip",
    "box": "where an instrument is at a moment of a clip",
    "picture": "what a single picture shows",
    "state": "what is under way at a time",
    "past": "what has just ended or left",
    "next": "what comes next",
    "alert": "a stream that asks for an alert when something begins",
    "chain": "three questions about one event: what, in which segment, when",
    "recording": "something about a whole recording",
}
"""Starting point of a template -> what it asks."""


class _Kind(NamedTuple):
    """A kind of unit that is written as a package.

    Attributes:
        what: name of the kind, with the article.
        taken: function that returns the names in use, as ``module:function``; '' allows any name.
        then: text at the end of the next commands.
    """

    what: str
    such_as: str
    files: tuple[str, ...]
    taken: str = ""
    then: str = ""


PACKAGED = {
    "dataset": _Kind("a dataset", "my_data", ("__init__.py", "dataset.yaml"),
                     "surgqa.transforms.registry:datasets"),
    "reader": _Kind(
        "a dataset", "my_data",
        ("__init__.py", "card.yaml", "files.yaml", "map.yaml", "reader.py", "sample.yaml"),
        "surgqa.transforms.registry:datasets",
    ),
    "operator": _Kind(
        "an operator", "midpoint",
        ("__init__.py", "signature.py", "naive.py", "columns.py", "sql.py", "@NAME@.yaml"),
        "surgqa.transforms.algebra.signature:signatures",
    ),
    "scorer": _Kind("a scorer", "my_score", ("__init__.py",), "",
                    "\nnamed in a template: scorer: {name}"),
    "export": _Kind("a format", "my_format", ("__init__.py",),
                    "surgqa.transforms.exports.formats:formats",
                    "\nwritten by: surgqa export OUT --as {format} --to DIR"),
    "extractor": _Kind("an extractor", "my_detector", ("__init__.py",),
                       "surgqa.transforms.evidence.extractors:extractors",
                       "\nrun by: surgqa observe --video FILE --extractor {name} --out STORE"),
    "engine": _Kind("an engine", "my_cluster", ("__init__.py",),
                    "surgqa.pipeline.engines.engine:engines",
                    "\nchosen by: surgqa build RUN.yaml --runner {name}"),
}  # fmt: skip


def template_files(name: str, folder: Path, like: str) -> tuple[Files, str]:
    """Return the file of a template, and the next commands.

    Args:
        like: a key of :data:`STARTS`.

    Raises:
        UserError: the name is not ``group.name``, or there is no such starting point.
    """
    if not re.fullmatch(r"[a-z0-9_]+\.[a-z0-9_]+", name):
        raise ValueInvalid(
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
        f"edit it, then: surgqa lint {shown(path)}\n"
        f"and then: surgqa preview {shown(path)}\n"
        f"asked by: surgqa build --templates {shown(folder)} --benchmark {group} …"
    )
    words = {"ID": name, "BENCHMARK": group, "NAME": last}
    return {path: _filled(f"question/{like}.yaml", words)}, then


def package_files(kind: str, name: str, folder: Path) -> tuple[Files, str]:
    """Return an installable package of one unit with its contract test, and the next commands.

    Raises:
        UserError: not a valid name, or a unit of the kind has this name.
    """
    one = PACKAGED[kind]
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueInvalid(
            f"not {one.what}'s name", found=name, where="NAME",
            expected=f"lower-case letters, digits and _, such as {one.such_as}",
        )  # fmt: skip
    words = {"NAME": name, "PACKAGE": f"surgqa_{name}", "FORMAT": name.replace("_", "-")}
    taken = resolve_name(one.taken)() if one.taken else ()
    if not {name, words["FORMAT"]}.isdisjoint(taken):
        raise NameTaken(f"{one.what} of that name exists", found=name, where="NAME",
                        fix="choose another name")  # fmt: skip
    package = words["PACKAGE"]
    base = folder / package
    files = {base / package / file.replace("@NAME@", name): _filled(f"{kind}/{file}", words)
             for file in one.files}  # fmt: skip
    files[base / "pyproject.toml"] = _filled(f"{kind}/pyproject.toml", words)
    files[base / "tests" / f"test_{name}.py"] = _filled(f"{kind}/test.py", words)
    then = (
        f"install it: python -m pip install --editable {base}\n"
        f"edit it until its test passes: python -m pytest {base / 'tests'}"
    )
    return files, then + one.then.format(name=name, format=words["FORMAT"])


def _filled(file: str, words: dict[str, str]) -> str:
    base = resources.files("surgqa.pipeline") / "cli" / "scaffold"
    text = (base / f"{file}.txt").read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text

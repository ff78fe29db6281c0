"""``surgqa new``: the files of a new template or reader, ready to be filled in."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from ontology.errors import EXIT_DONE, UserError
from pipeline.cli.console import talk, write_file, write_json, write_result
from pipeline.cli.names import unknown
from pipeline.cli.schema import LANGUAGES

_READER_FILES = ("__init__.py", "card.yaml", "files.yaml", "reader.py", "sample.py")


def new(
    kind: Annotated[
        str,
        typer.Argument(
            help="template, query, chain or reader.", metavar="template|query|chain|reader"
        ),
    ],
    name: Annotated[
        str,
        typer.Argument(help="mine.how_many for a template, my_data for a reader.", metavar="NAME"),
    ],
    templates: Annotated[
        Path, typer.Option(metavar="DIR", help="Templates folder; made if it is not there.")
    ] = Path("templates"),
) -> int:
    """Write the files of a new template or reader; nothing that exists is overwritten.

    \b
    surgqa new template mine.how_many --templates my_templates
    surgqa new query mine.which_phase --templates my_templates
    surgqa new chain mine.which_first --templates my_templates
    surgqa new reader my_data

    A query is a template whose question is put at a time; so are those of medstream.  A chain
    asks about one event in stages; so do those of surgcot.
    """
    if kind == "template":
        kind = LANGUAGE_OF.get(name.split(".")[0], kind)
    if kind in LANGUAGES:
        files, then = template_files(name, templates, kind)
    elif kind == "reader":
        files, then = reader_files(name, Path.cwd())
    else:
        raise unknown("kind of unit", kind, ("reader", *LANGUAGES), "surgqa new --help")
    write_new(files)
    for path in files:
        write_result(str(path))
    if kind in LANGUAGES:
        _write_schema(templates / "schema" / f"{kind}-v1.json", kind)
    talk.say(then)
    return EXIT_DONE


LANGUAGE_OF = {
    "medstream": "query", "sapbench": "query", "surgveo": "query", "surgcot": "chain",
}  # fmt: skip
"""Benchmark of which every template is in one of the small languages -> which one."""


def template_files(
    name: str, folder: Path, language: str = "template"
) -> tuple[dict[Path, str], str]:
    """The file of a template, and what to do next.

    Args:
        language: ``template`` for questions about clips, ``query`` for those of a time,
            ``chain`` for those of one event in stages.

    Raises:
        UserError: the name is not ``group.name``.
    """
    if not re.fullmatch(r"[a-z0-9_]+\.[a-z0-9_]+", name):
        raise UserError(
            "not a template id",
            expected="group.name in lower case, such as mine.how_many",
            found=name,
            where="NAME",
        )
    group, last = name.split(".")
    path = folder / group / f"{last}.yaml"
    words = {"ID": name, "BENCHMARK": group, "TASK": f"{group}/{last}", "NAME": last}
    then = (
        f"edit it, then: surgqa lint {path}\n"
        f"and then: surgqa preview {path}\n"
        f"asked by: surgqa build --templates {folder} --benchmark {group} …"
    )
    return {path: _filled(f"{language}.yaml", words)}, then


def reader_files(name: str, checkout: Path) -> tuple[dict[Path, str], str]:
    """The files of a reader, and what to do next.

    Raises:
        UserError: not a name, or ``checkout`` is not a checkout of surgqa.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise UserError(
            "not a dataset's name",
            expected="lower-case letters, digits and _, such as my_data",
            found=name,
            where="NAME",
        )
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


def write_new(files: dict[Path, str]) -> None:
    """Write all files, or none if one of them exists.

    Raises:
        UserError: a file is already there, or a folder cannot be made.
    """
    there = [str(path) for path in files if path.exists()]
    if there:
        raise UserError(
            "nothing was written: these files exist already",
            found=", ".join(there),
            fix="choose another name",
        )
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"{path.parent} cannot be made", found=error.strerror or str(error)
            ) from None
        write_file(path, text.encode())


def _filled(file: str, words: dict[str, str]) -> str:
    base = resources.files("pipeline") / "cli" / "scaffold"
    text = (base / f"{file}.txt").read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text


def _write_schema(path: Path, language: str) -> None:
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(LANGUAGES[language](), path)

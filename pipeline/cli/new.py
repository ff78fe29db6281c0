"""``surgqa new``: write the files of a new template, or of a package with another unit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from surgqa.ontology.errors import EXIT_DONE, OutputExists, PlaceUnusable
from surgqa.pipeline.cli.console import talk, write_file, write_json, write_result
from surgqa.pipeline.cli.given import unknown
from surgqa.pipeline.cli.options import Text, arg, opt
from surgqa.pipeline.cli.scaffolds import PACKAGED, STARTS, Files, package_files, template_files
from surgqa.pipeline.cli.schema import FILES

TEMPLATES = ("template", "question")
KINDS = (*TEMPLATES, *PACKAGED)
USUAL = "count"
"""The starting point if the user cannot be asked."""


def new(
    kind: Annotated[str, arg("KIND", f"{', '.join(KINDS)}.")],
    name: Annotated[str, arg("NAME", "mine.how_many for a template, my_data for the others.")],
    templates: Annotated[Path, opt("DIR", "Templates folder; created if missing.")] = Path(
        "templates"
    ),
    like: Annotated[
        Text,
        opt("START", f"Starting point of a template: {', '.join(STARTS)}.  [default: asked for]"),
    ] = None,
) -> int:
    """Write the files of a new template, or of a package with another unit; none is overwritten.

    \b
    surgqa new template mine.how_many --templates my_templates
    surgqa new template mine.what_next --like next
    surgqa new dataset my_data
    surgqa new reader my_data
    surgqa new operator midpoint
    surgqa new scorer my_score
    surgqa new export my_format
    surgqa new extractor my_detector
    surgqa new engine my_cluster

    A template starts as a complete example; it can be linted, previewed and built unchanged.
    """  # fmt: skip
    files, then = _files(kind, name, templates, like)
    write_new(files)
    for path in files:
        write_result(str(path))
    if kind in TEMPLATES:
        _write_schema(templates / "schema" / "question-v1.json")
    talk.say(then)
    return EXIT_DONE


def _files(kind: str, name: str, templates: Path, like: str | None) -> tuple[Files, str]:
    if kind in TEMPLATES:
        return template_files(name, templates, like or _nearest())
    if kind in PACKAGED:
        return package_files(kind, name, Path.cwd())
    raise unknown("kind of unit", kind, KINDS, "surgqa new --help")


def _nearest() -> str:
    """Ask for a starting point and return it; return the usual one if the user cannot be asked."""
    if not sys.stdin.isatty():
        others = ", ".join(name for name in STARTS if name != USUAL)
        talk.say(f"started from {USUAL!r}; --like gives another one: {others}")
        return USUAL
    talk.say("Which question is closest to yours?")
    for number, (name, about) in enumerate(STARTS.items(), 1):
        talk.say(f"  {number}  {name:<10} {about}")
    chosen = typer.prompt("number or name", default=USUAL, err=True)
    return (
        list(STARTS)[int(chosen) - 1] if chosen in map(str, range(1, len(STARTS) + 1)) else chosen
    )


def write_new(files: Files) -> None:
    """Write all files, or none if one of them exists.

    Raises:
        UserError: a file exists already, or a folder cannot be created.
    """
    there = [str(path) for path in files if path.exists()]
    if there:
        raise OutputExists(
            "nothing was written: these files exist already",
            found=", ".join(there),
            fix="choose another name",
        )
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PlaceUnusable(
                f"{path.parent} cannot be created", found=error.strerror or str(error)
            ) from None
        write_file(path, text.encode())


def _write_schema(path: Path) -> None:
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(FILES["question"](), path)

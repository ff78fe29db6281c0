"""Finding and loading templates of the small languages; they lie among the other templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ontology.files import read_bytes, read_text
from transforms.language.findings import Finding, TemplateErrors, below
from transforms.language.small.parse import SmallParser

LANGUAGES = ("query", "chain", "question")
"""``schema: <name>/v1`` in a file; a file with none is one of clips."""

_SCHEMA = re.compile(
    rf"""^[ \t{{]*["']?schema["']?[ \t]*:[ \t]*["']?({"|".join(LANGUAGES)})/""", re.MULTILINE
)


def language_of(file: Path) -> str:
    """One of :data:`LANGUAGES`, or ``template`` for all that is written in none of them."""
    found = _SCHEMA.search(read_text(read_bytes(file, str(file)), str(file)))
    return found.group(1) if found else "template"


class Identified(Protocol):
    """What templates of all small languages have."""

    @property
    def id(self) -> str: ...
    @property
    def file_id(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def status(self) -> str: ...


T = TypeVar("T", bound=Identified)
P = TypeVar("P", bound=SmallParser[Any])


def parsed(
    files: Iterable[Path], folder: Path, parser: Callable[[str, str], P]
) -> list[tuple[P, list[Any]]]:
    """Each file's parser, with its source and findings, and what it gave.

    Args:
        folder: the templates folder, from which paths and ids are counted.
        parser: of the language; takes the path to show and the text.
    """
    out = []
    for file in files:
        path = file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name
        one = parser(path, read_text(read_bytes(file, path), path))
        out.append((one, one.parse()))
    for finding, one in _identity(out):
        one.findings.append(finding)
    return out


def gathered(found: Iterable[tuple[P, list[T]]]) -> tuple[list[T], list[Finding]]:
    """Templates and findings of all files."""
    findings: list[Finding] = []
    templates: list[T] = []
    for parser, mine in found:
        templates += mine
        findings += parser.findings
    return templates, findings


def active(templates: Iterable[T], findings: Sequence[Finding], folder: Path) -> list[T]:
    """The templates of a folder that are asked, sorted by id.

    Raises:
        TemplateErrors: there is a finding; a broken template is never skipped.
    """
    if findings:
        raise TemplateErrors(below(folder, findings))
    return sorted((t for t in templates if t.status == "active"), key=lambda t: t.id)


def _identity(found: Sequence[tuple[P, list[Any]]]) -> Iterator[tuple[Finding, P]]:
    """T103: one finding for a file under a wrong id, one for each id that is used twice."""
    first: dict[str, Identified] = {}
    for parser, templates in found:
        line, column = parser.source.place(("id",), key=True)
        wanted = parser.path.removesuffix(".yaml").replace("/", ".")
        for one in templates[:1]:
            if one.file_id != wanted:
                message, fix = f"its path says {wanted!r}", "rename the file or correct the id"
                finding = Finding(one.path, line, "T103", one.file_id, message, fix, column=column)
                yield finding, parser
        for one in templates:
            other = first.setdefault(one.id, one)
            if other is not one:
                message = f"id is also used by {other.path}"
                yield Finding(one.path, line, "T103", one.id, message, column=column), parser

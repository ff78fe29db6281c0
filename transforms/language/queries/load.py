"""Finding and loading query templates; they lie among the other templates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ontology.files import read_bytes, read_text
from transforms.language.findings import Finding, TemplateErrors
from transforms.language.queries.parse import QueryParser
from transforms.language.queries.query import Query

_SCHEMA = re.compile(r"""^[ \t{]*["']?schema["']?[ \t]*:[ \t]*["']?query/""", re.MULTILINE)


def is_query(file: Path) -> bool:
    """Whether a template's file holds a query."""
    return bool(_SCHEMA.search(read_text(read_bytes(file, file.name), file.name)))


Parsed = tuple[QueryParser, list[Query]]
"""A file's parser, with its source and findings, and what it gave."""


def parsed(files: Iterable[Path], folder: Path) -> list[Parsed]:
    """Parse files of one folder; findings instead of exceptions."""
    out = []
    for file in files:
        path = file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name
        parser = QueryParser(path, read_text(read_bytes(file, path), path))
        out.append((parser, parser.parse()))
    for finding, parser in _identity(out):
        parser.findings.append(finding)
    return out


def parse_queries(files: Iterable[Path], folder: Path) -> tuple[list[Query], list[Finding]]:
    """Queries and findings of all files of one folder."""
    found = parsed(files, folder)
    queries = [query for _, mine in found for query in mine]
    return queries, [finding for parser, _ in found for finding in parser.findings]


def load_queries(files: Sequence[Path], folder: Path) -> list[Query]:
    """All active queries of some files, sorted by id.

    Raises:
        TemplateErrors: any finding in any file; a broken query is never skipped.
    """
    queries, findings = parse_queries(files, folder)
    if findings:
        raise TemplateErrors(findings)
    return sorted((q for q in queries if q.status == "active"), key=lambda q: q.id)


def _identity(found: Sequence[Parsed]) -> Iterator[tuple[Finding, QueryParser]]:
    """T103: one finding for a file under a wrong id, one for each id that is used twice."""
    first: dict[str, Query] = {}
    for parser, queries in found:
        line = parser.source.line(("id",))
        wanted = parser.path.removesuffix(".yaml").replace("/", ".")
        for query in queries[:1]:
            if query.file_id != wanted:
                message, fix = f"its path says {wanted!r}", "rename the file or correct the id"
                yield Finding(query.path, line, "T103", query.file_id, message, fix), parser
        for query in queries:
            other = first.setdefault(query.id, query)
            if other is not query:
                message = f"id is also used by {other.path}"
                yield Finding(query.path, line, "T103", query.id, message), parser

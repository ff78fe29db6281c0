"""Finding and loading query templates; they lie among the other templates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from transforms.language.findings import Finding
from transforms.language.queries.parse import QueryParser
from transforms.language.queries.query import Query
from transforms.language.small.load import active, gathered, language_of
from transforms.language.small.load import parsed as parsed_by


def is_query(file: Path) -> bool:
    """Whether a template's file holds a query."""
    return language_of(file) == "query"


Parsed = tuple[QueryParser, list[Query]]
"""A file's parser, with its source and findings, and what it gave."""


def parsed(files: Iterable[Path], folder: Path) -> list[Parsed]:
    """Parse files of one folder; findings instead of exceptions."""
    return parsed_by(files, folder, QueryParser)


def parse_queries(files: Iterable[Path], folder: Path) -> tuple[list[Query], list[Finding]]:
    """Queries and findings of all files of one folder."""
    return gathered(parsed(files, folder))


def load_queries(files: Sequence[Path], folder: Path) -> list[Query]:
    """All active queries of some files, sorted by id.

    Raises:
        TemplateErrors: any finding in any file; a broken query is never skipped.
    """
    return active(*parse_queries(files, folder), folder)

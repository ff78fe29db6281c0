"""Finding and loading chain templates; they lie among the other templates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from transforms.language.chains.chain import Chain
from transforms.language.chains.parse import ChainParser
from transforms.language.findings import Finding
from transforms.language.small.load import active, gathered, language_of
from transforms.language.small.load import parsed as parsed_by


def is_chain(file: Path) -> bool:
    """Whether a template's file holds a chain."""
    return language_of(file) == "chain"


Parsed = tuple[ChainParser, list[Chain]]
"""A file's parser, with its source and findings, and what it gave."""


def parsed(files: Iterable[Path], folder: Path) -> list[Parsed]:
    """Parse files of one folder; findings instead of exceptions."""
    return parsed_by(files, folder, ChainParser)


def parse_chains(files: Iterable[Path], folder: Path) -> tuple[list[Chain], list[Finding]]:
    """Chains and findings of all files of one folder."""
    return gathered(parsed(files, folder))


def load_chains(files: Sequence[Path], folder: Path) -> list[Chain]:
    """All active chains of some files, sorted by id.

    Raises:
        TemplateErrors: any finding in any file; a broken chain is never skipped.
    """
    return active(*parse_chains(files, folder), folder)

"""How much memory and how many threads a database of the checks may take."""

from __future__ import annotations

from pathlib import Path

from ontology.files import listed
from transforms.places import Place

MEMORY = "512MB"
"""What the database keeps in memory; the rest lies in its scratch folder."""

THREADS = 1
"""A query is a chain of many small steps: with two threads they took a fifth longer, and a quarter
more of the processor."""

SMALL = 4 << 20
"""Bytes of evidence up to which its database has no file: a quarter of the time of a small one."""

Settings = dict[str, str | bool | int | float | list[str]]


def bounded(scratch: Path) -> Settings:
    """Settings of a database within the bounds.

    Args:
        scratch: an existing folder for what does not fit into memory.
    """
    return {"memory_limit": MEMORY, "threads": THREADS, "temp_directory": str(scratch)}


def database(evidence: Place, file: Path) -> str:
    """Where a database of the tables of ``evidence/`` lies: in memory if they are small.

    Args:
        evidence: the folder of the tables.
        file: where the file may be.
    """
    few = isinstance(evidence, Path) and sum(p.stat().st_size for p in listed(evidence)) <= SMALL
    return ":memory:" if few else str(file)

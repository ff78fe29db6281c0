"""Limits on the memory and threads of the databases that the checks use."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from surgqa.ontology.files import listed
from surgqa.transforms.places import Place
from surgqa.transforms.store.folder import readable

MEMORY = "512MB"
"""Memory limit of a database.  Data beyond it goes to the scratch folder."""

THREADS = 1
"""Number of threads. The queries have many small steps: with two threads they took a fifth longer
and used a quarter more processor time."""

SMALL = 4 << 20
"""Size of evidence in bytes up to which its database is in memory, which is four times as fast."""

Settings = dict[str, str | bool | int | float | list[str]]


def bounded(scratch: Path) -> Settings:
    """Return DuckDB settings that enforce these limits.

    Args:
        scratch: an existing folder for data that does not fit into memory.
    """
    return {"memory_limit": MEMORY, "threads": THREADS, "temp_directory": str(scratch)}


def database(evidence: Place, file: Path) -> str:
    """Return a path for the database of ``evidence/``; ``":memory:"`` if the tables are small.

    Args:
        evidence: the folder of the tables.
        file: path of the database file if the tables are not small.
    """
    few = isinstance(evidence, Path) and sum(p.stat().st_size for p in listed(evidence)) <= SMALL
    return ":memory:" if few else str(file)


def source_of(file: Place, scratch: Path, options: str = "") -> str:
    """Return SQL that reads a Parquet file; a remote file is copied to ``scratch`` first.

    Args:
        options: SQL of further arguments of ``read_parquet``, each after a comma.
    """
    if not isinstance(file, Path):
        near = scratch / file.name
        pq.write_table(pq.read_table(readable(file)), near)
        file = near
    name = str(file).replace("'", "''")
    return f"read_parquet('{name}'{options})"

"""How much memory and how many threads a database of the checks may take."""

from __future__ import annotations

from pathlib import Path

MEMORY = "512MB"
"""What the database keeps in memory; the rest lies in its scratch folder."""

THREADS = 1
"""A query is a chain of many small steps: with two threads they took a fifth longer, and a quarter
more of the processor."""

Settings = dict[str, str | bool | int | float | list[str]]


def bounded(scratch: Path) -> Settings:
    """Settings of a database within the bounds.

    Args:
        scratch: an existing folder for what does not fit into memory.
    """
    return {"memory_limit": MEMORY, "threads": THREADS, "temp_directory": str(scratch)}

"""The item files of an output, which its documents describe, and the split of each file."""

from __future__ import annotations

from collections.abc import Iterable


def item_files(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return, for each benchmark, the sorted paths of its item files: Parquet if there are any,
    otherwise JSON Lines.

    Args:
        paths: all files of an output, relative to the output's folder.
    """
    mine = sorted(path for path in paths if path.startswith("data/"))
    parquet = [path for path in mine if path.endswith(".parquet")]
    out: dict[str, list[str]] = {}
    for path in parquet or mine:
        out.setdefault(path.split("/")[1], []).append(path)
    return out


def split_of(path: str) -> str:
    """Return the split of a file named ``SPLIT-00000-of-00008.parquet``."""
    return path.rpartition("/")[2].rsplit("-", 3)[0]


def ending_of(path: str) -> str:
    """Return the ending of the item files: ``parquet`` or ``jsonl``."""
    return path.rpartition(".")[2]

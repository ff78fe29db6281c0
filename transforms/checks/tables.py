"""The tables of ``evidence/``: where they are, and which videos they are about."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from surgqa.ontology.errors import OtherVersion, OutputBroken
from surgqa.ontology.rows import EVIDENCE_TABLES
from surgqa.transforms.checks.bounds import source_of
from surgqa.transforms.places import Place
from surgqa.transforms.store.folder import OutputFolder, readable

Key = tuple[str, str]
"""(dataset, video id)."""
Problem = tuple[str, str]
"""(code, detail)."""
LATER = ("moments",)
"""Tables that outputs of earlier versions lack."""
SHOWN = 100
"""Maximum number of rows reported per table and check."""


def is_there(folder: OutputFolder, kind: str) -> bool:
    """Return whether a dataset has a table of evidence."""
    return (folder.path / "evidence" / f"{kind}.parquet").is_file()


def evidence_file(folder: OutputFolder, kind: str) -> Place:
    """Return the path of an evidence table that has all required columns.

    Raises:
        OutputBroken: the table is missing or lacks a column.
    """
    path = folder.path / "evidence" / f"{kind}.parquet"
    if not path.is_file():
        raise OutputBroken(
            f"evidence/{kind}.parquet is missing",
            where=str(folder.path),
            fix="build the dataset again; evidence is part of every build",
        )
    missing = sorted(set(EVIDENCE_TABLES[kind].names) - set(pq.read_schema(readable(path)).names))
    if missing:
        raise OtherVersion(
            f"evidence/{kind}.parquet lacks columns",
            expected=", ".join(EVIDENCE_TABLES[kind].names),
            found=f"no {', '.join(missing)}",
            where=str(path),
            fix="check the dataset with the version of surgqa that built it",
        )
    return path


def sources_at(folder: OutputFolder, scratch: Path, names: Iterable[str]) -> dict[str, str]:
    """Return, for each of these tables that the dataset has, SQL that reads it.

    Args:
        scratch: an existing folder, to which remote tables are copied.

    Raises:
        OutputBroken: a table that every version has is missing, or a table lacks a column.
    """
    there = (name for name in names if name not in LATER or is_there(folder, name))
    return {name: source_of(evidence_file(folder, name), scratch) for name in there}


def require_order(folder: OutputFolder, kind: str) -> None:
    """Raise OutputBroken unless a table is sorted by dataset and video."""
    name, last = f"evidence/{kind}.parquet", ("", "")
    file = pq.ParquetFile(readable(folder.path / name))
    for batch in file.iter_batches(columns=["dataset", "video_id"]):
        for key, _ in groupby(zip(*(part.to_pylist() for part in batch.columns), strict=True)):
            if key < last:
                raise OutputBroken(
                    f"{name} is not in order", expected="rows sorted by dataset and video_id",
                    found=f"{'/'.join(key)} after {'/'.join(last)}", where=name,
                    fix="build the dataset again; do not edit its tables",
                )  # fmt: skip
            last = key


def headers(folder: OutputFolder) -> dict[Key, dict[str, Any]]:
    """Return the rows of ``evidence/videos`` by (dataset, video_id), sorted."""
    rows = pq.read_table(readable(evidence_file(folder, "videos"))).to_pylist()
    found = {(row["dataset"], row["video_id"]): row for row in rows}
    return dict(sorted(found.items()))

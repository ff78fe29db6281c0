"""The tables of ``evidence/``: where they are, and which videos they are about."""

from __future__ import annotations

from typing import Any

import pyarrow.parquet as pq

from surgqa.ontology.errors import OtherVersion, OutputBroken
from surgqa.ontology.rows import EVIDENCE_TABLES
from surgqa.transforms.places import Place
from surgqa.transforms.store.folder import OutputFolder, readable

Key = tuple[str, str]
"""(dataset, video id)."""
LATER = ("moments",)
"""Tables that outputs of earlier versions lack."""


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


def headers(folder: OutputFolder) -> dict[Key, dict[str, Any]]:
    """Return the rows of ``evidence/videos`` by (dataset, video_id), sorted."""
    rows = pq.read_table(readable(evidence_file(folder, "videos"))).to_pylist()
    found = {(row["dataset"], row["video_id"]): row for row in rows}
    return dict(sorted(found.items()))

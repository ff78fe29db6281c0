"""Parquet files of an output, wherever it lies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from transforms.places import Place

VIDEO = ("dataset", "video_id")
"""Columns that name a recording."""

Where = Callable[[pa.Table], Any]


def readable(path: Place) -> str | BinaryIO:
    """A file as Arrow's readers take it."""
    return str(path) if isinstance(path, Path) else path.open("rb")


def read_parquet(
    path: Place,
    columns: Sequence[str] | None = None,
    *,
    by: Sequence[str] = (),
    where: Where | None = None,
) -> pa.Table:
    """A file's columns, of all its rows or of some.

    Arrow's own ``read_table`` imports its datasets and with them pandas, which takes longer than
    most of what is read.

    Args:
        columns: in their order; all if None.
        by: columns that ``where`` looks at; they are read first, and the others only of groups of
            rows in which it finds something.
        where: of a table of those columns, which rows are wanted (booleans).

    Raises:
        pa.ArrowInvalid: it is not Parquet, or lacks a column.
    """
    with pq.ParquetFile(readable(path)) as file:
        names = file.schema_arrow.names
        lacking = sorted({*(columns or ()), *by} - set(names))
        if lacking:
            raise pa.ArrowInvalid(f"no column {', '.join(lacking)} in {path.name}")
        wanted = names if columns is None else list(columns)
        if where is None:
            return file.read(columns=wanted).select(wanted)
        found = [_rows(file, k, wanted, by, where) for k in range(file.num_row_groups)]
        some = [one for one in found if len(one)]
        return pa.concat_tables(some) if some else pa.schema(
            [file.schema_arrow.field(name) for name in wanted]).empty_table()  # fmt: skip


def _rows(
    file: pq.ParquetFile, group: int, wanted: Sequence[str], by: Sequence[str],
    where: Where,
) -> pa.Table:  # fmt: skip
    """The wanted rows of one group."""
    mask = where(file.read_row_group(group, columns=list(by)))
    if not pc.any(mask).as_py():
        return file.schema_arrow.empty_table().select(list(wanted))
    return file.read_row_group(group, columns=list(wanted)).select(list(wanted)).filter(mask)


def of_video(dataset: str, video_id: str) -> Where:
    """Rows of one recording; reads :data:`VIDEO`."""
    return lambda rows: pc.and_(
        pc.equal(rows["dataset"], dataset), pc.equal(rows["video_id"], video_id)
    )


def among(item_ids: Sequence[str]) -> Where:
    """Rows of these items; reads ``item_id``."""
    return lambda rows: pc.is_in(rows["item_id"], pa.array(item_ids, pa.string()))

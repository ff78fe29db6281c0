"""Writes Parquet files with fixed settings, so that their bytes depend only on the rows.

The bytes also depend on the version of pyarrow, which is stored in each file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.records import Video

SETTINGS = {
    "compression": "zstd",
    "compression_level": 3,
    "version": "2.6",
    "data_page_version": "1.0",
    "store_schema": False,
    "write_statistics": True,
}
ROW_GROUP = 65_536
SMALL_GROUP = 16_384
"""Smallest number of rows in a row group; tables of videos with fewer rows are joined."""


def video_table(schema: pa.Schema, video: Video, columns: Mapping[str, Any], rows: int) -> pa.Table:
    """Return a table about one video: the given columns, and dataset and video id in every row."""
    own = {"dataset": video.dataset, "video_id": video.video_id}
    arrays = [
        pa.repeat(pa.scalar(own[field.name], field.type), rows)
        if field.name in own
        else pa.array(columns[field.name], field.type)
        for field in schema
    ]
    return pa.table(arrays, schema=schema)


def dictionary_columns(schema: pa.Schema, unique: Iterable[str]) -> list[str]:
    """Return the text columns whose values repeat, so that a dictionary saves space.

    Args:
        unique: columns whose values do not repeat.
    """
    skip = set(unique)
    return [f.name for f in schema if pa.types.is_string(f.type) and f.name not in skip]


def write_table(table: pa.Table, path: Path, dictionary: list[str]) -> None:
    """Write one file. The table's chunks are joined first, because they would change the bytes."""
    whole = table.combine_chunks()
    with pq.ParquetWriter(path, whole.schema, use_dictionary=dictionary, **SETTINGS) as writer:
        writer.write_table(whole, row_group_size=ROW_GROUP)


def write_groups(
    tables: Iterable[pa.Table], schema: pa.Schema, path: Path, dictionary: list[str]
) -> int:
    """Write one file from one table for each video, and return the number of rows.

    Small tables are joined to one row group. If each of ten thousand still images had its own row
    group, the file would be four times as large, and programs that read it would need much memory.
    """
    rows = 0
    with pq.ParquetWriter(path, schema, use_dictionary=dictionary, **SETTINGS) as writer:
        for group in _together(tables):
            writer.write_table(group, row_group_size=group.num_rows)
            rows += group.num_rows
    return rows


def _together(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield tables with at least :data:`SMALL_GROUP` rows, and one with the remaining rows."""
    waiting: list[pa.Table] = []
    rows = 0
    for table in tables:
        if table.num_rows:
            waiting.append(table)
        rows += table.num_rows
        if rows >= SMALL_GROUP:
            yield pa.concat_tables(waiting).combine_chunks()
            waiting, rows = [], 0
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()

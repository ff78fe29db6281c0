"""Parquet with every setting pinned: the bytes depend on the rows alone.

(Within one pyarrow version: the footer names it.)
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

SETTINGS = {
    "compression": "zstd",
    "compression_level": 3,
    "version": "2.6",
    "data_page_version": "1.0",
    "store_schema": False,
    "write_statistics": True,
}
ROW_GROUP = 65_536


def dictionary_columns(schema: pa.Schema, unique: Iterable[str]) -> list[str]:
    """Text columns that repeat, so that a dictionary pays; ``unique`` ones are left out."""
    skip = set(unique)
    return [f.name for f in schema if pa.types.is_string(f.type) and f.name not in skip]


def write_table(table: pa.Table, path: Path, dictionary: list[str]) -> None:
    """One file; the table is made contiguous first, since chunks would move the bytes."""
    whole = table.combine_chunks()
    with pq.ParquetWriter(path, whole.schema, use_dictionary=dictionary, **SETTINGS) as writer:
        writer.write_table(whole, row_group_size=ROW_GROUP)


def write_groups(
    tables: Iterable[pa.Table], schema: pa.Schema, path: Path, dictionary: list[str]
) -> int:
    """One file with a row group per table (a video); returns the number of rows."""
    rows = 0
    with pq.ParquetWriter(path, schema, use_dictionary=dictionary, **SETTINGS) as writer:
        for table in tables:
            if table.num_rows:
                writer.write_table(table.combine_chunks(), row_group_size=table.num_rows)
                rows += table.num_rows
    return rows

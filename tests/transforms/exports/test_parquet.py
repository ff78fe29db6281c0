"""How tables of many videos become one file: small ones share row groups."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.transforms.exports.parquet import SMALL_GROUP, write_groups

SCHEMA = pa.schema([("video_id", pa.string()), ("time_us", pa.int64())])


def tables(sizes: list[int]) -> list[pa.Table]:
    """A table for each video."""
    return [
        pa.table({"video_id": [f"v{k:05d}"] * size, "time_us": range(size)}, schema=SCHEMA)
        for k, size in enumerate(sizes)
    ]


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        ([], []),
        ([0, 0], []),
        ([3, 0, 4], [7]),
        ([SMALL_GROUP], [SMALL_GROUP]),
        ([1, SMALL_GROUP - 1, 5], [SMALL_GROUP, 5]),
        ([3 * SMALL_GROUP, 1], [3 * SMALL_GROUP, 1]),
        ([5] * 10_000, [16_385, 16_385, 16_385, 845]),
    ],
)
def test_small_tables_share_a_row_group(tmp_path: Path, sizes: list[int], groups: list[int]):
    path, given = tmp_path / "table.parquet", tables(sizes)
    assert write_groups(given, SCHEMA, path, ["video_id"]) == sum(sizes)
    written = pq.ParquetFile(path)
    found = [written.metadata.row_group(k).num_rows for k in range(written.num_row_groups)]
    assert found == groups
    assert written.read().equals(pa.concat_tables([SCHEMA.empty_table(), *given]))
    if len(sizes) > 1_000:
        assert path.stat().st_size < 200_000  # each in a group of its own takes 4 MB

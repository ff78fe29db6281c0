"""Parts of a Parquet file: columns in their order, and the rows that are wanted."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from transforms.store.parquet import VIDEO, among, of_video, read_parquet

ROWS = pa.table({
    "dataset": ["a", "a", "a", "b", "b"], "video_id": ["1", "2", "2", "1", "2"],
    "item_id": ["p", "q", "r", "s", "t"], "n": [0, 1, 2, 3, 4],
})  # fmt: skip


@pytest.fixture
def file(tmp_path):
    pq.write_table(ROWS, tmp_path / "rows.parquet", row_group_size=2)
    return tmp_path / "rows.parquet"


def test_columns_come_in_the_order_in_which_they_are_asked_for(file):
    assert read_parquet(file).equals(ROWS)
    assert read_parquet(file, ["n", "dataset"]).equals(ROWS.select(["n", "dataset"]))


@pytest.mark.parametrize(
    ("by", "where", "wanted"),
    [
        (VIDEO, of_video("a", "2"), [1, 2]),  # in two groups of rows
        (VIDEO, of_video("b", "1"), [3]),
        (VIDEO, of_video("b", "3"), []),
        (("item_id",), among(["t", "p", "x"]), [0, 4]),
        (("item_id",), among([]), []),
        (("n",), lambda rows: pc.greater(rows["n"], -1), [0, 1, 2, 3, 4]),
    ],
)
def test_rows_that_are_wanted(file, by, where, wanted):
    expected = ROWS.take(pa.array(wanted, pa.int64()))
    assert read_parquet(file, by=by, where=where).equals(expected)
    assert read_parquet(file, ["n"], by=by, where=where).to_pydict() == {"n": wanted}


@pytest.mark.parametrize("columns", [["n", "more"], []])
def test_a_column_that_lacks_is_told(file, columns):
    with pytest.raises(pa.ArrowInvalid, match=r"no column more in rows\.parquet"):
        read_parquet(file, columns, by=("more",), where=among([]))


def test_a_file_that_is_none_is_told(tmp_path):
    (tmp_path / "rows.parquet").write_bytes(b"rows")
    with pytest.raises(pa.ArrowInvalid):
        read_parquet(tmp_path / "rows.parquet")


def test_pandas_stays_out(file):
    """Its import takes longer than what is read."""
    code = (
        "import pathlib, sys; from transforms.store.parquet import read_parquet; "
        f"read_parquet(pathlib.Path({str(file)!r})); print('pandas' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"

"""The evidence of an output as tables of a database on disk, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow.parquet as pq

from transforms.algebra.sql.bank import add_bank
from transforms.checks.bounds import bounded
from transforms.places import Place
from transforms.store.folder import OutputFolder, readable

KEY = "dataset || '/' || video_id as video"


def connect(folder: OutputFolder, scratch: Path) -> duckdb.DuckDBPyConnection:
    """A database with the tables that proofs read.

    Args:
        scratch: an existing folder for what does not fit into memory.
    """
    con = duckdb.connect(str(scratch / "evidence.duckdb"), config=bounded(scratch))
    for table, select in TABLES.items():
        file = folder.path / "evidence" / f"{file_of(table)}.parquet"
        source = source_of(file, scratch)
        con.execute(f"create table {table} as {select.format(source=source)}")
    con.execute(SAMPLES_AS_FACTS)
    add_bank(con)
    return con


@contextmanager
def in_bounds(scratch: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty database within the same bounds, for queries of single tables.

    Args:
        scratch: an existing folder for what does not fit into memory.
    """
    con = duckdb.connect(config=bounded(scratch))
    try:
        yield con
    finally:
        con.close()


def file_of(table: str) -> str:
    """The file of ``evidence/`` that a table is read from."""
    return "segments" if table == "clips" else table


def source_of(file: Place, scratch: Path) -> str:
    """A Parquet file as SQL reads it; one in remote storage is copied first."""
    if not isinstance(file, Path):
        near = scratch / file.name
        pq.write_table(pq.read_table(readable(file)), near)
        file = near
    name = str(file).replace("'", "''")
    return f"read_parquet('{name}')"


_TEXTS = "kind, label, subject, track, verb, target, rater, origin"
_TIMES = ", ".join(f"{name}_us as {name}" for name in
                   ("s0", "s", "s1", "e0", "e", "e1", "x0", "x1", "t0", "t1"))  # fmt: skip
_MARKS = ", ".join(f"nullif({name}, -1) as {name}" for name in
                   ("s_mark", "e_mark", "s_gap", "e_gap"))  # fmt: skip
_REST = "grp, sure, value_lo, value_hi, fact_id as proof"

NOBODY_LOOKED = 1 << 60
"""Floor of a hole in which facts of any length may be."""

TABLES = {
    "facts": f"select {KEY}, {_TEXTS}, {_TIMES}, {_MARKS}, {_REST} from {{source}}",
    "holes": f"select {KEY}, kind, label, subject, u0_us as u0, u1_us as u1, "
             f"coalesce(floor_us, {NOBODY_LOOKED}) as floor from {{source}}",
    "looked": f"select {KEY}, kind, coalesce(field, '') as field, ids from {{source}}",
    "samples": f"select {KEY}, track, time_us as t, x1, y1, x2, y2 from {{source}}",
    "instants": f"select {KEY}, time_us as t from {{source}}",
    "videos": f"select {KEY}, duration_us, fps_num::double / fps_den as fps, procedure "
              "from {source}",
    "clips": f"select {KEY}, segment_id as id, start_us, end_us from {{source}} "
             "where kind = 'clip'",
}  # fmt: skip
"""Table -> how its file under ``evidence/`` is read."""

SAMPLES_AS_FACTS = """
insert into facts by name
select s.video, 'sample' as kind, c.subject as label, c.subject, s.track,
  s.t as s0, s.t as s, s.t as s1, s.t + 1 as e0, s.t + 1 as e, s.t + 1 as e1,
  s.t as x0, s.t + 1 as x1, s.t as t0, s.t + 1 as t1, true as sure,
  row_number() over (order by s.video, s.track, s.t) as grp
from samples s left join (
  select video, track, min(subject) as subject from facts
  where track is not null group by video, track) c
on c.video = s.video and c.track = s.track;
"""
"""Each box is a fact of one microsecond; its label is its instance's class."""

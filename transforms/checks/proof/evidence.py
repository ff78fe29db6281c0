"""Loads the evidence of an output into database tables, with limited memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, groupby
from pathlib import Path

import duckdb

from surgqa.transforms.algebra.sql.bank import BANK, add_bank
from surgqa.transforms.algebra.sql.scope import SHARED
from surgqa.transforms.algebra.sql.tables import SAMPLE
from surgqa.transforms.checks.bounds import bounded, database, source_of
from surgqa.transforms.checks.items import POINTED
from surgqa.transforms.checks.tables import LATER
from surgqa.transforms.store.folder import OutputFolder

WORLDS = "worlds"
"""The reading of a template in which a fact starts and ends within bounds."""

KEY = "dataset || '/' || video_id as video"


@dataclass(frozen=True, slots=True)
class Some:
    """A group of videos that are consecutive in the sorted list of (dataset, video id).

    Attributes:
        ends: (dataset, first video, last video) for each dataset of the group.
    """

    ends: tuple[tuple[str, str, str], ...]

    def sql(self) -> str:
        """Return the SQL condition that a row belongs to one of the videos."""
        quoted = (tuple(text.replace("'", "''") for text in one) for one in self.ends)
        return " or ".join(
            f"(dataset = '{dataset}' and video_id between '{first}' and '{last}')"
            for dataset, first, last in quoted
        )


def opened(folder: OutputFolder, scratch: Path) -> duckdb.DuckDBPyConnection:
    """Return a database with the files of ``evidence/`` as views.

    Args:
        scratch: an existing folder for data that does not fit into memory.
    """
    file = database(folder.path / "evidence", scratch / "evidence.duckdb")
    con = duckdb.connect(file, config=bounded(scratch))
    for name in dict.fromkeys((*map(file_of, TABLES), *POINTED)):
        path = folder.path / "evidence" / f"{name}.parquet"
        if name not in LATER or path.is_file():
            con.execute(f"create view {name}_file as from {source_of(path, scratch)}")
    return con


def put_evidence(
    con: duckdb.DuckDBPyConnection, some: Some | None = None,
    kinds: Collection[str] | None = None, reading: str = WORLDS,
) -> None:  # fmt: skip
    """Create the tables that proofs read, for some videos or all videos.

    Existing tables are replaced. Tables that queries made from them are removed.

    Args:
        kinds: the kinds of facts that are loaded; None for all.
        reading: how templates read the times of facts, ``worlds`` (with bounds) or ``labels``.
    """
    made = "select table_name from duckdb_tables() where starts_with(table_name, ?)"
    for (name,) in con.execute(made, [SHARED]).fetchall():
        con.execute(f"drop table {name}")
    where = some.sql() if some else "true"
    for table, select in TABLES.items():
        source = f"(from {file_of(table)}_file where {where})"
        con.execute(f"create or replace table {table} as {select.format(source=source)}")
    if reading != WORLDS:
        con.execute(EXACT)
    if kinds is None or SAMPLE in kinds:
        con.execute(SAMPLES_AS_FACTS)
    add_bank(con, with_facts=kinds is None or not set(BANK).isdisjoint(kinds))
    counts = " + ".join(f"(select count(*) from {table})" for table in WEIGHED)
    ((rows,),) = con.execute(f"select {counts}").fetchall()
    con.execute(f"set disabled_optimizers = '{PLANNED_LONG if rows < FEW else ''}'")


def some_at_a_time(con: duckdb.DuckDBPyConnection, rows: str) -> Iterator[Some]:
    """Yield groups of videos, each with about :data:`AT_ONCE` rows of evidence.

    Args:
        con: a connection from :func:`opened`.
        rows: name of the table or view with the videos in the columns ``dataset`` and ``video_id``.
    """
    weights = con.execute(_WEIGHTS.format(rows=rows)).fetchall()
    sums = accumulate(weights, lambda before, one: (*one[:2], before[2] + one[2]))
    for _, group in groupby(sums, key=lambda one: one[2] // AT_ONCE):
        ids: dict[str, list[str]] = defaultdict(list)
        for dataset, video, _ in group:
            ids[dataset].append(video)
        yield Some(tuple((name, own[0], own[-1]) for name, own in ids.items()))


@contextmanager
def in_bounds(scratch: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield an empty database with the same limits on memory and threads.

    Args:
        scratch: an existing folder for data that does not fit into memory.
    """
    con = duckdb.connect(config=bounded(scratch))
    try:
        yield con
    finally:
        con.close()


def file_of(table: str) -> str:
    """Return the name of the file of ``evidence/`` that a table is read from."""
    return "segments" if table == "clips" else table


AT_ONCE = 300_000
"""About how many rows of evidence queries process together."""

FEW = 30_000
"""Number of rows of evidence up to which DuckDB takes longer to plan a query than to run it."""

WEIGHED = ("facts", "holes", "samples", "instants")

PLANNED_LONG = ("join_order,projection_pullup,statistics_propagation,cte_filter_pusher,"
                "common_subplan")  # fmt: skip
"""Optimizers of DuckDB that are switched off for few rows: they took a fifth of the time."""

_WEIGHTS = """
with weights as (select dataset, video_id, count(*) as n from (
  select dataset, video_id from facts_file
  union all select dataset, video_id from holes_file
  union all select dataset, video_id from samples_file
  union all select dataset, video_id from instants_file) group by all)
select dataset, video_id, coalesce(n, 0)
from (select distinct dataset, video_id from {rows}) left join weights using (dataset, video_id)
order by dataset, video_id
"""

_TEXTS = "kind, label, subject, track, verb, target, rater, origin"
_TIMES = ", ".join(f"{name}_us as {name}" for name in
                   ("s0", "s", "s1", "e0", "e", "e1", "x0", "x1", "t0", "t1"))  # fmt: skip
_MARKS = ", ".join(f"nullif({name}, -1) as {name}" for name in
                   ("s_mark", "e_mark", "s_gap", "e_gap"))  # fmt: skip
_REST = "grp, sure, value_lo, value_hi, fact_id as proof"

NOBODY_LOOKED = 1 << 60
"""``floor`` of a gap without one: facts of any length may have been missed in it."""

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
"""Table -> query that reads its file under ``evidence/``."""

EXACT = """
update facts set grp = rowid, s0 = s, s1 = s, e0 = e, e1 = e, x0 = s, x1 = e where s1 >= s;
"""
"""Makes the labels' own times exact, so that no fact is part of a longer one.  Facts without times,
of which the latest start is before the start, stay as they are."""

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
"""Makes a fact of one microsecond from each box; its label is the class of the box's instance."""

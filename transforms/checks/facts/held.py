"""Derives facts, gaps, boxes, instants and lists of searched labels again, and compares them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
from duckdb import DuckDBPyConnection

from surgqa.transforms.checks.bounds import bounded, database, source_of
from surgqa.transforms.checks.facts import groups, moments, runs, spans
from surgqa.transforms.checks.facts.compare import OTHERS, facts_differ, others_differ
from surgqa.transforms.checks.facts.known import CLIP_OF, put_known
from surgqa.transforms.checks.report import Findings, Grounds
from surgqa.transforms.store.folder import OutputFolder

HELD = ("facts", "holes", "looked", "samples", "instants")
"""Tables of ``evidence/`` that are derived again."""

RAW = ("videos", "events", "segments", "regions", "labels", "moments")
"""Raw tables of ``evidence/`` that they are derived from."""


def connect(folder: OutputFolder, scratch: Path) -> duckdb.DuckDBPyConnection:
    """Return a database with the raw rows; ``v`` numbers the videos, ``n`` a table's rows.

    Args:
        scratch: an existing folder for data that does not fit into memory.
    """
    settings = bounded(scratch) | {"preserve_insertion_order": False}
    file = database(folder.path / "evidence", scratch / "facts.duckdb")
    con = duckdb.connect(file, config=settings)
    for name in (*RAW, *HELD):
        path = folder.path / "evidence" / f"{name}.parquet"
        source = source_of(path, scratch, ", file_row_number = true")
        con.execute(f"create view {name}_file as from {source}")
    keys = " union ".join(f"select dataset, video_id from {name}_file"
                          for name in ("videos", *HELD))  # fmt: skip
    con.execute(
        "create table names as select row_number() over (order by dataset, video_id)::int as v, *, "
        f"dataset || '/' || video_id as video from ({keys} except {OBSERVED})"
    )
    for name, columns in COLUMNS.items():
        con.execute(f"create table r_{name} as select v, file_row_number as n, {columns} "
                    f"from {name}_file join names using (dataset, video_id)")  # fmt: skip
    con.execute(USED)
    put_known(con)
    return con


_KIND = "case kind " + " ".join(f"when '{a}' then '{b}'" for a, b in CLIP_OF.items())

OBSERVED = "select dataset, video_id from videos_file where label_source = 'model'"
"""Videos annotated by a model. The gaps of these videos depend on what the model may have missed,
which was computed from data outside ``evidence/``. So their facts are not derived again."""

COLUMNS = {
    "videos": "period_us as period, duration_us as duration, dataset, vocabulary, annotated, "
              "unseen",
    "events": "event_id as id, time_us as t, label, track_id as track, x1, y1, x2, y2, pairs",
    "segments": f"segment_id as id, kind as said_as, {_KIND} else kind end as kind, label, "
                "start_us as a, end_us as b, value, rater, subject, sampled_us as sampled, origin",
    "regions": "region_id as id, kind, time_us as t, label, x1, y1, x2, y2",
    "labels": f"label_id as id, kind, {_KIND} else kind end as sought_as, label, value, rater",
    "moments": "moment_id as id, case kind when 'action' then 'interaction' else kind end as kind, "
               'label, start_us as a, end_us as b, resolution_us as fine, tool, verb, target, '
               '"group", value, origin',
}  # fmt: skip
"""Table -> the columns read from it. An action in ``moments`` becomes the kind "interaction"."""

USED = """
create table used as
select distinct kind from r_segments union select kind from r_labels
union select sought_as from r_labels union select kind from r_moments
"""


LOOKED = """
create table made_looked as
with said as (
  select v, kind, label, true as spanned from r_segments where label is not null
  union all select v, sought_as, label, false from r_labels
), sought as (
  select s.v, s.kind, list_sort(list_distinct(list(s.label) || coalesce(
    (select list(m.label) from mapped m join names d using (dataset)
     where d.v = s.v and m.kind = s.kind), []))) as ids
  from said s left join kinds k on k.kind = s.kind
  group by s.v, s.kind having exists (
    select 1 from mapped m join names d using (dataset) where d.v = s.v and m.kind = s.kind
  ) or (bool_or(s.spanned) and bool_and(k.exclusive not in ('video', 'subject')))
), fields as (
  select 1 as rank, v, kind, 'label' as field, ids from sought
  union all
  select 2, w.v, f.kind, f.field, list_sort(list_distinct(vocabulary))
  from owners w join r_videos using (v), (values ('instrument', 'label'),
    ('instrument', 'subject'), ('interaction', 'subject'), ('idle', 'subject')) f(kind, field)
  where w.what = 'tool' and (f.kind = 'instrument' or w.v in (select v from paired))
  union all
  select 3, w.v, w.kind, 'label', coalesce(list_sort(list_distinct(
    list(s.label) filter (s.label is not null))), [])
  from owners w join spelled s on s.v = w.v and s.kind = w.class
  where w.what = 'region' group by w.v, w.kind
  union all
  select 4, p.v, 'whole_label', 'label', coalesce(list_sort(list_distinct(
    list(l.label) filter (l.label is not null))), [])
  from r_videos p left join r_labels l using (v) group by p.v
  union all
  select 5, v, kind, 'label', list_sort(list(label))
  from (select distinct v, kind from watched) join terms using (kind) group by v, kind
)
select v, kind, null::varchar as field, null::varchar[] as ids from (
  select v, kind from owners where what <> 'act'
  union select v, unnest(['interaction', 'idle']) from owners where what = 'act'
  union select v, 'whole_label' from r_videos
  union select v, kind from happened
)
union all
select v, kind, field, ids from fields
qualify rank = max(rank) over (partition by v, kind);
"""
"""If several sources state the labels of a kind, only the source with the highest rank counts."""


MADE = """
create sequence made_number;
create table made (
  i bigint default nextval('made_number'), v int,
  kind varchar, label varchar, subject varchar, track varchar, verb varchar, target varchar,
  rater varchar, origin varchar, s0 bigint, s bigint, s1 bigint, e0 bigint, e bigint, e1 bigint,
  s_gap bigint, e_gap bigint, s_mark ubigint, e_mark ubigint, t0 bigint, t1 bigint,
  value_lo double, value_hi double, marks struct(kind varchar, id varchar)[]);
"""

FROM_INSTANTS = (runs.SPELLED, runs.OWNERS, runs.GRID, runs.SEEN, runs.RUNS, runs.SHARED)
FROM_STRETCHES = (spans.LOOKED, spans.NOTED, spans.BORDERS)
FACTS = (runs.HOLES, runs.AS_FACTS, spans.AS_FACTS, moments.WHOLE, moments.HAPPENED)
BESIDE = (moments.HOLES, runs.BOXES, LOOKED)

GIVEN = """
select origin, sum(n)::bigint from (
  select origin, count(*) as n from r_segments where label is not null group by origin
  union all
  select origin, count(*) from r_moments where kind <> 'watched' group by origin
) where origin is not null and origin not in ('annotated', 'imported')
group by origin order by origin
"""
"""Number of raw rows that a rule or a model derived from other rows, by origin."""


def hold_facts(folder: OutputFolder, scratch: Path, findings: Findings) -> Grounds:
    """Derive all tables that proofs use again, and add a finding for each difference.

    Args:
        scratch: an existing folder for data that does not fit into memory.
    """
    con = connect(folder, scratch)
    try:
        make(con)
        for what, where in _differences(con):
            findings.add("ground_differs", "", f"{what} ({where})")
        count = "select count(*) from made_{}"
        rows = {table: con.execute(count.format(table)).fetchall()[0][0] for table in HELD}
        count = "select kind, count(*) from made group by kind order by kind"
        kinds, given = (dict(con.execute(query).fetchall()) for query in (count, GIVEN))
        left = con.execute(f"select count(*) from ({OBSERVED})").fetchall()[0][0]
        return Grounds(rows, kinds, given, left)
    finally:
        con.close()


def make(con: DuckDBPyConnection) -> None:
    """Create a derived table for each name in :data:`HELD`, such as ``made_facts``."""
    con.execute(MADE)
    for step in (*FROM_INSTANTS, *FROM_STRETCHES, *FACTS):
        con.execute(step)
    groups.join_up(con, "named")
    con.execute(moments.AS_FACTS)
    con.execute(groups.FACTS)
    groups.join_up(con, "tied")
    con.execute(groups.REACHES)
    for step in BESIDE:
        con.execute(step)


def _differences(con: DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    yield from facts_differ(con)
    for table in OTHERS:
        yield from others_differ(con, table)

"""Derives facts, gaps, boxes, instants and lists of searched labels again, and compares them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from duckdb import DuckDBPyConnection

from surgqa.transforms.checks.facts import groups, looked, moments, runs, spans
from surgqa.transforms.checks.facts.compare import OTHERS, facts_differ, others_differ
from surgqa.transforms.checks.facts.raw import HELD, OBSERVED, connect
from surgqa.transforms.checks.report import Findings, Grounds
from surgqa.transforms.store.folder import OutputFolder

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
BESIDE = (moments.HOLES, runs.BOXES, looked.LOOKED)

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

"""SQL that puts facts into one group if they are connected, directly or through other facts."""

from __future__ import annotations

from duckdb import DuckDBPyConnection

FACTS = """
create table tied as
with keyed as (
  select i, hash(v, kind, label, subject, verb, target, rater) as key, s_gap, e_gap from made
), ends as (select i, hash(key, e_gap) as node from keyed where e_gap is not null),
begins as (select i, hash(key, s_gap) as node from keyed where s_gap is not null)
select * from ends where node in (select node from begins)
union select * from begins where node in (select node from ends);
"""
"""(fact, gap) where a fact ends in the gap and another fact with the same labels begins in it."""

REACHES = """
create table made_facts as
with grouped as (
  select m.*, coalesce(j.l, m.i) as grp from made m left join joined j using (i)
), reached as (select grp, min(s0) as x0, max(e1) as x1 from grouped group by grp)
select g.*, x0, x1 from grouped g join reached using (grp);
"""
"""All facts with their group (facts that may be one), and the group's earliest and latest time."""


def join_up(con: DuckDBPyConnection, ties: str) -> None:
    """Create the table ``joined`` (i, l): ``l`` is the smallest number in the group of ``i``.

    Args:
        ties: name of a table (i, node). Two values of ``i`` are connected if they have the same
            node.
    """
    con.execute(f"create or replace table joined as select distinct i, i as l from {ties}")
    while True:
        con.execute(STEP.format(ties=ties))
        con.execute("create or replace table closer as select a.i, b.l "
                    "from nearer a join nearer b on b.i = a.l")  # fmt: skip
        (moved,) = con.execute(
            "select count(*) from closer c join joined j using (i) where c.l <> j.l"
        ).fetchall()[0]
        con.execute("create or replace table joined as from closer")
        if not moved:
            return


STEP = """
create or replace table nearer as
with least_of as (select node, min(l) as l from {ties} join joined using (i) group by node),
offered as (
  select i, min(n.l) as l from {ties} join least_of n using (node) group by i
), roots as (
  select j.l as i, min(o.l) as l from joined j join offered o using (i) group by j.l
)
select j.i, least(j.l, o.l, r.l) as l
from joined j join offered o using (i) left join roots r using (i)
"""
"""One iteration: every group takes the smallest ``l`` of the groups that share a node with it."""

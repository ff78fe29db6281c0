"""Create the tables that the queries of this package read."""

from __future__ import annotations

from duckdb import DuckDBPyConnection

from surgqa.transforms.algebra.sql.bank import add_bank


def complete(connection: DuckDBPyConnection) -> None:
    """Add to the given tables what the queries need in addition.

    Boxes become facts of the kind ``sample``, and the knowledge bank becomes facts of its kinds.
    The table ``operations`` gets the operation that each video's procedure names.
    """
    _add_samples(connection)
    add_bank(connection)


def _add_samples(connection: DuckDBPyConnection) -> None:
    """Add every box as a fact of one microsecond, labelled with the class of its instance."""
    connection.execute("""
        insert into facts by name
        select s.video, 'sample' as kind, c.subject as label, c.subject, s.track,
          s.t as s0, s.t as s, s.t as s1, s.t + 1 as e0, s.t + 1 as e, s.t + 1 as e1,
          s.t as x0, s.t + 1 as x1, s.t as t0, s.t + 1 as t1, true as sure,
          row_number() over (order by s.video, s.track, s.t) as grp
        from samples s join (select video, track, min(subject) as subject from facts
          where track is not null group by video, track) c
        on c.video = s.video and c.track = s.track""")

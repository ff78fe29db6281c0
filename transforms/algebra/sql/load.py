"""Putting tables into a database, with what queries read beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TABLES = ("facts", "holes", "looked", "samples", "instants", "videos")


def load(connection: Any, tables: Mapping[str, Any]) -> None:
    """Make the tables of :mod:`transforms.algebra.sql.tables` of Arrow tables.

    Boxes become facts of the kind ``sample``.
    """
    for name in TABLES:
        connection.register(f"given_{name}", tables[name])
        connection.execute(f"create or replace table {name} as from given_{name}")
        connection.unregister(f"given_{name}")
    _add_samples(connection)


def put_cases(connection: Any, cases: Any) -> None:
    """Make the table ``cases``: q, video, window_start_us, window_end_us, now_us, slots."""
    connection.register("given_cases", cases)
    connection.execute("create or replace table cases as from given_cases")
    connection.unregister("given_cases")


def _add_samples(connection: Any) -> None:
    """Every box as a fact of one microsecond; its label is its instance's class."""
    connection.execute("""
        insert into facts by name
        select s.video, 'sample' as kind, c.subject as label, c.subject, s.track,
          s.t as s0, s.t as s, s.t as s1, s.t + 1 as e0, s.t + 1 as e, s.t + 1 as e1,
          s.t as x0, s.t + 1 as x1, s.t as t0, s.t + 1 as t1, true as sure,
          row_number() over (order by s.video, s.track, s.t) as grp
        from samples s left join (select video, track, min(subject) as subject from facts
          where track is not null group by video, track) c
        on c.video = s.video and c.track = s.track""")

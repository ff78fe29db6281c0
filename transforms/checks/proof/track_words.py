"""Words that distinguish instruments of one class in a window, such as "on the left"."""

from __future__ import annotations

from collections import defaultdict

import duckdb

from surgqa.transforms.algebra.tree import Print, Text
from surgqa.transforms.language.program import Stage

APART = 0.10
"""Smallest distance of centres, as a share of the frame's width, for "left" and "right"."""

NAMING = ("the", "name")
"""Filters whose text states which instance is meant."""

NEW = """
create or replace temp table new_windows as
select distinct video, a, b from windows anti join shared_windows using (video, a, b)
"""
MADE = """
create temp table if not exists shared_windows (video varchar, a bigint, b bigint);
create temp table if not exists shared_words (
  video varchar, a bigint, b bigint, track varchar, words varchar);
"""
WORDS = """
insert into shared_windows from new_windows;
insert into shared_words
with seen as (
  select distinct c.video, c.a, c.b, f.subject, coalesce(f.track, '') as track
  from new_windows c join facts f on f.video = c.video and f.s0 < c.b and f.e1 > c.a
  where f.kind = 'instrument'),
reach as (
  select e.video, e.a, e.b, e.subject, e.track,
         count(*) over (partition by e.video, e.a, e.b, e.subject) as many, r.low, r.high
  from seen e left join (
    select n.video, n.a, n.b, n.track, min((s.x1 + s.x2) / 2) as low,
           max((s.x1 + s.x2) / 2) as high
    from (select distinct video, a, b, track from seen) n
    join samples s on s.video = n.video and s.track = n.track and s.t >= n.a and s.t < n.b
    group by n.video, n.a, n.b, n.track) r using (video, a, b, track))
select video, a, b, track, case
    when many = 1 then ''
    when low is null then null
    when (select bool_and(coalesce(m.high + {apart} < o.low, false)) from reach o
          where o.video = m.video and o.a = m.a and o.b = m.b
            and o.subject is not distinct from m.subject and o.track <> m.track)
      then ' on the left'
    when (select bool_and(coalesce(o.high + {apart} < m.low, false)) from reach o
          where o.video = m.video and o.a = m.a and o.b = m.b
            and o.subject is not distinct from m.subject and o.track <> m.track)
      then ' on the right'
  end as words
from reach m
"""
"""Creates the words for each track and window: '' for the only track of its class.

Many items have the same window, so its words are stored.
"""


def track_words_of(con: duckdb.DuckDBPyConnection) -> dict[int, dict[str, str]]:
    """Return case -> track -> the words that distinguish the track.

    Tracks that no words distinguish are missing.

    Args:
        con: database with the tables ``windows`` (q, video, a, b), ``facts`` and ``samples``.
    """
    con.execute(MADE)
    con.execute(NEW)
    con.execute(WORDS.format(apart=APART))
    out: dict[int, dict[str, str]] = defaultdict(dict)
    found = ("select q, track, words from windows join shared_words using (video, a, b) "
             "where words is not null")  # fmt: skip
    for q, track, words in con.execute(found).fetchall():
        out[q][track] = words
    return out


def names_instances(stage: Stage) -> bool:
    """Return whether a text of a stage names an instance."""
    return any(
        piece.filter in NAMING and piece.node.type.name in ("fact", "track")
        for text in stage.texts
        for piece in pieces(text)
    )


def pieces(text: Text) -> list[Print]:
    """Return the parts of a text that print a value."""
    return [piece for piece in text if isinstance(piece, Print)]

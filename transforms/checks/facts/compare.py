"""Compares the stored facts, and other stored tables, with those derived from the raw rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from duckdb import DuckDBPyConnection

AT_ONCE = 1000
"""Number of differing rows that are read from the database at once."""

IDENTITY = ("kind", "label", "subject", "track", "verb", "target", "rater", "origin")
TIMES = ("s0", "s", "s1", "e0", "e", "e1", "x0", "x1", "t0", "t1")
LINKS = ("grp", "s_mark", "e_mark", "s_gap", "e_gap")
"""Columns with arbitrary numbers: facts that belong together have the same number."""

HELD_EACH = ("fact_id", *TIMES, "sure", "value_lo", "value_hi", *LINKS)
"""Columns of a stored fact that are compared with those of a derived fact."""

_ID = " || chr(31) || ".join(f"coalesce({name}::varchar, 'None')" for name in (*IDENTITY, "s", "e"))
_KEY = ", ".join((*IDENTITY, "marks"))

SIDES = f"""
create table written as
select v, {", ".join(IDENTITY)}, {", ".join(f"{name}_us as {name}" for name in TIMES)},
  {", ".join(f"nullif({name}, -1)::varchar as {name}" for name in LINKS)}, sure, value_lo, value_hi,
  fact_id, marks::varchar as marks from facts_file join names using (dataset, video_id);
create table again as
select v, {", ".join(IDENTITY)}, {", ".join(TIMES)},
  {", ".join(f"{name}::varchar as {name}" for name in LINKS)}, true as sure, value_lo, value_hi,
  sha256('fact' || chr(31) || {_ID})[:16] as fact_id, marks::varchar as marks from made_facts;
"""
"""Stored and derived facts, in the same columns."""

PAIRED = f"""
create table pairs as
with w as (
  select rowid as w, v, hash({_KEY}) as key,
    row_number() over (partition by v, {_KEY} order by s, e, s0, s1, e0, e1) as nth from written
), a as (
  select rowid as a, v, hash({_KEY}) as key,
    row_number() over (partition by v, {_KEY} order by s, e, s0, s1, e0, e1) as nth from again
)
select row_number() over () as p, w, a from w full join a using (v, key, nth);
"""
"""Pairs of a stored and a derived fact with equal labels and equal raw rows; one may be missing."""


def _linked(side: str, name: str) -> str:
    """Return a query that numbers groups of facts (column ``name``) in a way that can be compared.

    The number of a group becomes the smallest border of its facts. So stored and derived numbers
    are equal if the same facts form a group.
    """
    both = f"from {side} x join pairs on {side[0]} = x.rowid where w is not null and a is not null"
    edges = ("",) if name == "grp" else ("s", "e")
    used = " union all ".join(
        f"select p, '{edge}' as edge, v, {f'{edge}_{name[2:]}' if edge else name} as link {both}"
        for edge in edges
    )
    least = "min(p || edge) over (partition by v, link)"
    mine = "" if name == "grp" else name[0]
    return (f"select p, {name} from (select p, edge, {least} as {name} from ({used}) "
            f"where link is not null) where edge = '{mine}'")  # fmt: skip


def _links(side: str) -> str:
    joined = " ".join(f"left join ({_linked(side, name)}) using (p)" for name in LINKS)
    paired = "select p from pairs where w is not null and a is not null"
    return f"create table links_{side} as select p, {', '.join(LINKS)} from ({paired}) {joined}"


def facts_differ(con: DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    """Yield (difference, place) for each fact that differs or that only one table has."""
    con.execute(SIDES)
    con.execute(PAIRED)
    for side in ("written", "again"):
        con.execute(_links(side))
    yield from _changed(con)
    yield from _alone(con, "again", "a", "w", "expected {row}, found none")
    yield from _alone(con, "written", "w", "a", "expected none, found {row}")


def _changed(con: DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    sides = {"w": "lw", "a": "la"}
    columns = [(name, *(f"{sides[one] if name in LINKS else one}.{name}" for one in "aw"))
               for name in HELD_EACH]  # fmt: skip
    differ = " or ".join(f"{a} is distinct from {w}" for _, a, w in columns)
    selected = ", ".join(f"{a}, {w}" for _, a, w in columns)
    rows = _rows(con, f"""
        select video, a.kind, a.label, a.subject, a.s, w.fact_id, w.marks, {selected}
        from pairs join written w on w.rowid = pairs.w join again a on a.rowid = pairs.a
        join links_written lw using (p) join links_again la using (p)
        join names on names.v = a.v where {differ} order by video, a.s, p""")  # fmt: skip
    for video, kind, label, subject, start, name, marks, *values in rows:
        pairs = zip(values[::2], values[1::2], strict=True)
        said = [_said(column, *pair) for column, pair in zip(HELD_EACH, pairs, strict=True)
                if pair[0] != pair[1]]  # fmt: skip
        what = _what(video, kind, label, subject, start)
        yield f"{what}: {', '.join(said)}", f"evidence/facts {name} of {_of(marks)}"


def _said(column: str, expected: Any, found: Any) -> str:
    if column in LINKS:
        return f"{column} belongs to another group of facts"
    return f"{column} expected {expected}, found {found}"


def _alone(
    con: DuckDBPyConnection, side: str, mine: str, other: str, outcome: str
) -> Iterator[tuple[str, str]]:
    rows = _rows(con, f"""
        select video, kind, label, subject, s, e, verb, target, track, fact_id, marks
        from pairs join {side} x on x.rowid = pairs.{mine} join names using (v)
        where pairs.{other} is null order by video, s, fact_id""")  # fmt: skip
    for video, kind, label, subject, start, end, verb, target, track, name, marks in rows:
        row = {"end": end, "verb": verb, "target": target, "track": track}
        said = ", ".join(f"{key} {value}" for key, value in row.items() if value is not None)
        what = _what(video, kind, label, subject, start)
        yield f"{what}: {outcome.format(row=said)}", f"evidence/facts {name} of {_of(marks)}"


def _what(video: str, kind: str, label: str | None, subject: str | None, start: int) -> str:
    named = " ".join(dict.fromkeys(filter(None, (kind, label, subject))))
    return f"{video} {named} at {start} us"


def _of(marks: str) -> str:
    return marks.translate(str.maketrans("", "", "[]{}'")) or "no row"


OTHERS = {
    "holes": ("kind, label, subject, u0_us as u0, u1_us as u1, floor_us as floor",
              "kind, label, subject, u0, u1, null as floor", "u0"),
    "looked": ("kind, field, ids", "kind, field, ids", ""),
    "samples": ("track, time_us as t, x1, y1, x2, y2", "track, t, x1, y1, x2, y2", "t"),
    "instants": ("time_us as t", "t", "t"),
}  # fmt: skip
"""Table -> its columns as stored, the same columns as derived, and the name of its time column."""


def others_differ(con: DuckDBPyConnection, table: str) -> Iterator[tuple[str, str]]:
    """Yield (difference, place) for each row that only the stored or only the derived table has."""
    written, made, time = OTHERS[table]
    found = con.execute(f"""
        select video, sum(side) as side, columns(* exclude (v, video, dataset, video_id, side))
        from (select v, {written}, 1 as side
              from {table}_file join names using (dataset, video_id)
              union all select v, {made}, -1 from made_{table}) join names using (v)
        group by all having sum(side) <> 0 order by all""")  # fmt: skip
    names = [one[0] for one in found.description or ()][2:]
    for video, side, *values in _fetched(con):
        row = dict(zip(names, values, strict=True))
        at = f" at {row.pop(time)} us" if time else ""
        kind = " ".join(str(row.pop(key)) for key in ("kind", "track") if row.get(key))
        said = ", ".join(f"{key} {value}" for key, value in row.items() if value is not None)
        pair = ("none", said or "one") if side > 0 else (said or "one", "none")
        what = f"{video} {kind or table[:-1]}{at}: expected {pair[0]}, found {pair[1]}"
        yield what, f"evidence/{table}"


def _rows(con: DuckDBPyConnection, query: str) -> Iterator[tuple[Any, ...]]:
    con.execute(query)
    yield from _fetched(con)


def _fetched(con: DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while rows := con.fetchmany(AT_ONCE):
        yield from rows

"""Compares the rows of ``data/`` with the rows of their videos and with each other, in SQL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from duckdb import DuckDBPyConnection

Problem = tuple[str, str, str]
"""(code, item id, detail)"""

COPIED = {name: name for name in ("procedure", "specialty", "split_group", "licence",
                                  "label_source")} | {"resolution_us": "period_us"} | {
    f"media.{name}": of for name, of in (
        ("path", "media_path"), ("kind", "media_kind"), ("fps_num", "fps_num"),
        ("fps_den", "fps_den"), ("width", "width"), ("height", "height"),
        ("first", "first_picture"), ("sha256", "media_sha256"))
}  # fmt: skip
"""Column of an item -> column of its video."""

POINTED = {
    "events": ("event_id", "time_us", "time_us"),
    "tracks": ("track_id", "first_us", "last_us"),
    "segments": ("segment_id", "start_us", "end_us"),
    "regions": ("region_id", "time_us", "time_us"),
    "moments": ("moment_id", "start_us", "end_us"),
    "labels": ("label_id", "0", "duration_us"),
}
"""Table that pointers refer to -> SQL of the id, the start and the end of its rows."""

AT_ONCE = 10_000
"""Number of findings that are read from the database at once."""

_UNKNOWN = """
select item_id, dataset || '/' || video_id from {rows} anti join videos_file
  using (dataset, video_id)
"""

_COPIED = """
select r.item_id, {pairs} from {rows} r join videos_file v using (dataset, video_id)
where {differ}
"""

_POINTLESS = """
select item_id from {rows} semi join videos_file using (dataset, video_id)
where coalesce(len(evidence), 0) = 0
"""

_POINTERS = """
with pointers as (
  select item_id, dataset, video_id, window_id, start_us, end_us, unnest(evidence) as p
  from {rows} semi join videos_file using (dataset, video_id)),
found as (
  select item_id, p.kind as kind, p.id as id, p.start_us as a, p.end_us as b,
    p.kind = 'window' and p.id = window_id as whole,
    if(whole, q.start_us, k.s) as s, if(whole, q.end_us, k.e) as e
  from pointers q left join ({known}) k
    on k.dataset = q.dataset and k.video_id = q.video_id and k.kind = p.kind and k.id = p.id)
select item_id, kind, id, a, b, s, e from found
where not coalesce(a = s and (b = e or (b = s and not whole)), false)
"""
"""Pointers with wrong times. A pointer must state the start of its row, or the start and the end; a
pointer to the window must state both."""

_REPEATED = """
select item_id, template_id, first from (
  select item_id, template_id, min(item_id) over (
    partition by dataset, video_id, benchmark, window_id, template_id) as first
  from {rows} semi join videos_file using (dataset, video_id) where chain_id is null)
where item_id <> first
"""

_ASKED_AGAIN = """
select item_id, question, first, answer_value = said from (
  select item_id, question, answer_value, first_value(item_id) over same as first,
    first_value(answer_value) over same as said
  from {rows} semi join videos_file using (dataset, video_id)
  window same as (partition by dataset, video_id, benchmark, window_id, lower(question), chain_id
    order by item_id))
where item_id <> first
"""

SPLIT = """
select dataset, video_id, split_group, split, procedure, specialty, min(item_id) as item_id
from {rows} group by all order by all
"""
"""One row for each video and split, with the id of the first item."""


def item_problems(con: DuckDBPyConnection, rows: str, videos: str) -> Iterator[Problem]:
    """Yield each wrong copy of a video's field, each wrong pointer and each repeated question.

    Args:
        con: a connection from :func:`~transforms.checks.proof.evidence.opened`.
        rows: SQL of the rows of ``data/`` with all columns.
        videos: SQL condition that selects the rows' videos in the tables of ``evidence/``.
    """
    for item, video in _each(con, _UNKNOWN.format(rows=rows)):
        yield "video_unknown", item, video
    yield from _copied(con, rows)
    for (item,) in _each(con, _POINTLESS.format(rows=rows)):
        yield "pointer_none", item, "no evidence pointer"
    for item, kind, name, start, end, *span in _each(con, _pointers(con, rows, videos)):
        shown = f"{kind} {name} [{start}, {end}]"
        if span == [None, None]:
            yield "pointer_missing", item, shown
        else:
            yield "pointer_outside", item, f"{shown} is not the start, or start and end, of {span}"
    for item, template, first in _each(con, _REPEATED.format(rows=rows)):
        yield "template_repeated", item, f"{template}, also {first}"
    for item, question, first, equal in _each(con, _ASKED_AGAIN.format(rows=rows)):
        code = "question_duplicate" if equal else "question_contradicts"
        yield code, item, f"as in {first}: {question!r}"


def _copied(con: DuckDBPyConnection, rows: str) -> Iterator[Problem]:
    pairs = ", ".join(f"r.{name}, v.{of}" for name, of in COPIED.items())
    differ = " or ".join(f"r.{name} is distinct from v.{of}" for name, of in COPIED.items())
    for item, *values in _each(con, _COPIED.format(rows=rows, pairs=pairs, differ=differ)):
        for name, value, of in zip(COPIED, values[::2], values[1::2], strict=True):
            if value != of:
                yield "header_differs", item, f"{name}: item {value!r}, video {of!r}"


def _pointers(con: DuckDBPyConnection, rows: str, videos: str) -> str:
    """Return SQL of the wrong pointers, with the start and end of the rows that they refer to."""
    there = {name for (name,) in con.execute("select view_name from duckdb_views()").fetchall()}
    known = " union all ".join(
        f"select dataset, video_id, '{table}' as kind, {name}::varchar as id, {start} as s, "
        f"{end} as e from {table}_file "
        f"{'join videos_file using (dataset, video_id)' if table == 'labels' else ''} "
        f"where {videos}"
        for table, (name, start, end) in POINTED.items() if f"{table}_file" in there
    )  # fmt: skip
    return _POINTERS.format(rows=rows, known=known)


def _each(con: DuckDBPyConnection, query: str) -> Iterator[tuple[Any, ...]]:
    con.execute(query)
    while found := con.fetchmany(AT_ONCE):
        yield from found

"""One SQL query for all items of a template; each item is a row of the table ``cases``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from duckdb import DuckDBPyConnection

from surgqa.transforms.algebra.sql.boxes import sampled
from surgqa.transforms.algebra.sql.scope import SqlScope, SqlScript
from surgqa.transforms.algebra.sql.values import (
    COLUMNS,
    FACT_COLUMNS,
    LISTED,
    RANGE,
    REPORTED,
    SPANS,
    STRETCH,
    SqlValue,
)
from surgqa.transforms.algebra.tree import Node

CASES = "cases"
"""Columns of the table of items: ``q video window_start_us window_end_us now_us slots``.

The window of a clip, a still image or a video ends one microsecond after its last annotated
instant, because nothing was annotated after it.
"""


@dataclass(frozen=True, slots=True)
class QueryColumn:
    """What a column of a query contains.

    Attributes:
        shape: one of :data:`~transforms.algebra.sql.values.COLUMNS`.
        type: name of a :class:`~transforms.algebra.types.Type`.
        fields: for a list of facts, the fields that the answer gives.
        of: for several stretches or times, the shape of one.
    """

    shape: str
    type: str
    fields: tuple[str, ...] = ()
    of: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """SQL and its columns. Each column is a struct of the columns of its shape.

    Attributes:
        sql: the whole query.
        columns: for each name, the contents of the column.
        nodes: for each name, the expression whose value the column holds.
        more: names of the columns of further expressions.
        rest: the query without the expressions that it shares with other queries.
        shared: the SQL of each shared expression by its name, in an order in which they can be
            created.
    """

    sql: str
    columns: Mapping[str, QueryColumn]
    nodes: Mapping[str, Node]
    more: tuple[str, ...]
    rest: str
    shared: Mapping[str, str]


def root(script: SqlScript) -> SqlScope:
    """Return a scope with one row for each item and the names ``now``, ``window`` and ``video``."""
    rows = script.add(f"select q, video from {CASES}", "rows")
    scope = SqlScope(script, rows, {})
    now = ("select q, now_us as lo, now_us as at, now_us as hi, null::bigint as mark, "
           f"now_us is not null as ok, false as none from {CASES}")  # fmt: skip
    window = exact("q", "window_start_us", "window_end_us", CASES)
    video = exact("c.q", "0::bigint", "v.duration_us",
                   f"{rows} c join videos v on v.video = c.video")  # fmt: skip
    scope.bound |= {
        "now": SqlValue(RANGE, script.add(now, "now")),
        "window": SqlValue(STRETCH, script.add(window, "window")),
        "video": SqlValue(STRETCH, script.add(video, "video")),
    }
    return scope


def exact(q: str, start: str, end: str, source: str) -> str:
    """Return SQL of a stretch between two times that are known exactly."""
    known = f"{start} is not null and {end} is not null"
    return (f"select {q}, {start} as a0, {start} as a, {start} as a1, null::bigint as a_mark, "
            f"{known} as a_ok, {end} as b0, {end} as b, {end} as b1, null::bigint as b_mark, "
            f"{known} as b_ok, coalesce({start} < {end}, false) as ok from {source}")  # fmt: skip


def written(
    script: SqlScript, scope: SqlScope, values: Mapping[str, SqlValue], whole: bool = False
) -> str:
    """Return SQL that selects these values, one row for each item, sorted by ``q``.

    Args:
        whole: return all columns of each value.
    """
    parts, joins = ["c.q"], []
    for k, (name, value) in enumerate(values.items()):
        cte = _whole(value, script)
        known = _columns(value)
        wanted = known if whole else REPORTED.get(value.shape, known)
        columns = ", ".join(f"{one} := v{k}.{one}" for one in wanted)
        parts.append(f'struct_pack({columns}) as "{name}"')
        joins.append(f"join {cte} v{k} on v{k}.q = c.q")
    return f"select {', '.join(parts)} from {scope.rows} c {' '.join(joins)} order by c.q"


def _columns(value: SqlValue) -> Sequence[str]:
    return ("ok", "elements") if value.shape in (LISTED, SPANS) else COLUMNS[value.shape]


def _whole(value: SqlValue, script: SqlScript) -> str:
    """Return SQL with one row for each q; several elements become one list of structs."""
    if value.shape not in (LISTED, SPANS):
        return value.cte
    if value.shape == LISTED:
        value = with_boxes(value, script)
    wanted = (*FACT_COLUMNS, *boxes_of(value)) if value.shape == LISTED else COLUMNS[value.of]
    packed = ", ".join(f"{one} := m.{one}" for one in wanted)
    return script.add(
        f"select v.q, v.ok, coalesce(m.elements, []) as elements from {value.cte} v left join "
        f"(select m.q, list(struct_pack({packed}) order by place) as elements from {value.rows} m "
        "group by m.q) m on m.q = v.q", "whole"
    )  # fmt: skip


EDGES = {"start_box": "asc", "end_box": "desc"}


def boxes_of(value: SqlValue) -> tuple[str, ...]:
    """Return the box fields that the answer gives for each listed fact."""
    return tuple(name for name in value.fields if name in EDGES)


def with_boxes(value: SqlValue, script: SqlScript) -> SqlValue:
    """Return the listed facts with their boxes at their first and last annotated instants."""
    rows = value.rows
    for name in boxes_of(value):
        rows = script.add(
            f"""select m.*, [s.x1, s.y1, s.x2, s.y2] as {name} from {rows} m
            join {CASES} c on c.q = m.q left join samples s on s.video = c.video
              and s.track = {sampled("m")} and s.t >= m.s0 and s.t <= m.e1
            qualify row_number() over (partition by m.q, m.place order by s.t {EDGES[name]}) = 1""",
            "edge",
        )
    return replace(value, rows=rows)


def rows_of(connection: DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    """Return the rows of a query as dicts.

    The query is executed directly: through a relation object, DuckDB would plan it twice.
    """
    done = connection.execute(sql)
    names = [column[0] for column in done.description or ()]
    return [dict(zip(names, row, strict=True)) for row in done.fetchall()]

"""One query for all items of a template: its nodes over the rows of ``cases``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from transforms.algebra.sql.scope import Scope, Script
from transforms.algebra.sql.values import (
    COLUMNS,
    FACT_COLUMNS,
    LISTED,
    RANGE,
    SPANS,
    STRETCH,
    STRETCH_COLUMNS,
    Value,
)
from transforms.algebra.tree import Node

CASES = "cases"
"""``q video window_start_us window_end_us now_us slots``: one row for each item."""


@dataclass(frozen=True, slots=True)
class Column:
    """What a query holds under a name.

    Attributes:
        shape: of :data:`~transforms.algebra.sql.values.COLUMNS`.
        type: of :class:`~transforms.algebra.types.Type`, by its name.
        fields: of listed facts: what is told of each.
    """

    shape: str
    type: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """SQL, and what is in its columns: ``NAME`` is a struct of the columns of its shape.

    Attributes:
        columns: name -> what it holds.
        nodes: name -> the node that it is of.
    """

    sql: str
    columns: Mapping[str, Column]
    nodes: Mapping[str, Node] = field(default_factory=dict)


def root(script: Script, steps: Mapping[str, Node] | None = None) -> Scope:
    """The scope of the cases, with ``now``, ``window`` and ``video``."""
    rows = script.add(f"select q, video from {CASES}", "rows")
    scope = Scope(script, rows, {}, steps=steps)
    now = ("select q, now_us as lo, now_us as at, now_us as hi, null::bigint as mark, "
           f"now_us is not null as ok, false as none from {CASES}")  # fmt: skip
    window = _exact("q", "window_start_us", "window_end_us", CASES)
    video = _exact("c.q", "0::bigint", "v.duration_us",
                   f"{rows} c join videos v on v.video = c.video")  # fmt: skip
    scope.bound |= {
        "now": Value(RANGE, script.add(now, "now")),
        "window": Value(STRETCH, script.add(window, "window")),
        "video": Value(STRETCH, script.add(video, "video")),
    }
    return scope


def _exact(q: str, start: str, end: str, source: str) -> str:
    """A stretch between two known times."""
    known = f"{start} is not null and {end} is not null"
    return (f"select {q}, {start} as a0, {start} as a, {start} as a1, null::bigint as a_mark, "
            f"{known} as a_ok, {end} as b0, {end} as b, {end} as b1, null::bigint as b_mark, "
            f"{known} as b_ok, coalesce({start} < {end}, false) as ok from {source}")  # fmt: skip


def written(script: Script, scope: Scope, values: Mapping[str, Value]) -> str:
    """The query that gives some values, one row a case, in the order of ``q``."""
    parts, joins = ["c.q"], []
    for k, (name, value) in enumerate(values.items()):
        cte = _whole(value, script)
        columns = ", ".join(f"{one} := v{k}.{one}" for one in _columns(value))
        parts.append(f'struct_pack({columns}) as "{name}"')
        joins.append(f"join {cte} v{k} on v{k}.q = c.q")
    return script.query(
        f"select {', '.join(parts)} from {scope.rows} c {' '.join(joins)} order by c.q"
    )


def _columns(value: Value) -> Sequence[str]:
    return ("ok", "elements") if value.shape in (LISTED, SPANS) else COLUMNS[value.shape]


def _whole(value: Value, script: Script) -> str:
    """An expression with one row each: elements become a list of structs."""
    if value.shape not in (LISTED, SPANS):
        return value.cte
    told = FACT_COLUMNS if value.shape == LISTED else (*STRETCH_COLUMNS, "ok")
    packed = ", ".join(f"{one} := m.{one}" for one in told)
    return script.add(
        f"select v.q, v.ok, coalesce(m.elements, []) as elements from {value.cte} v left join "
        f"(select m.q, list(struct_pack({packed}) order by place) as elements from {value.rows} m "
        "group by m.q) m on m.q = v.q", "whole"
    )  # fmt: skip


def evaluate_nodes(connection: Any, nodes: Iterable[Node]) -> list[list[dict[str, Any]]]:
    """The values of nodes over the table ``cases``: for each node a struct for each case.

    The nodes may use ``now``, ``window``, ``video`` and no other name.
    """
    script = Script()
    scope = root(script)
    values = {f"n{k}": scope.value(node) for k, node in enumerate(nodes)}
    table = connection.sql(written(script, scope, values)).to_arrow_table()
    return [table.column(name).to_pylist() for name in values]

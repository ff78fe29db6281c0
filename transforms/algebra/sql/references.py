"""Stretches of time in SQL, and other values that can be used as a stretch."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import (
    FACT,
    RANGE,
    STRETCH,
    STRETCH_COLUMNS,
    SqlValue,
    names,
)
from surgqa.transforms.algebra.tree import Between, Name, Node
from surgqa.transforms.algebra.types import STRETCH as STRETCH_TYPE

WINDOW = Name(STRETCH_TYPE, "window")

_SAME = "coalesce(a.mark = b.mark, false)"


def between(node: Between, scope: SqlScope) -> SqlValue:
    """Return the stretch ``[start, end)``.

    It is certainly not empty only if the latest start is before the earliest end.
    """
    a, b = scope.value(node.start), scope.value(node.end)
    return scope.row(
        STRETCH,
        "a.lo as a0, a.at as a, a.hi as a1, a.mark as a_mark, a.ok as a_ok, "
        "b.lo as b0, b.at as b, b.hi as b1, b.mark as b_mark, b.ok as b_ok, "
        f"coalesce(a.ok and b.ok and a.hi < b.lo and not {_SAME}, false) as ok",
        a=a, b=b,
    )  # fmt: skip


def reference(node: Node | None, scope: SqlScope) -> SqlValue:
    """Return the stretch with which a pattern compares facts (its reference).

    An instant becomes one microsecond, and a fact the time that it lasts.
    """
    value = scope.value(node or WINDOW)
    if value.shape == STRETCH:
        return value
    if value.shape == RANGE:
        columns = ("v.lo as a0, v.at as a, v.hi as a1, v.mark as a_mark, v.ok as a_ok, v.lo + 1 "
                   "as b0, v.at + 1 as b, v.hi + 1 as b1, null::bigint as b_mark, v.ok as b_ok, "
                   "v.ok as ok")  # fmt: skip
        return scope.row(STRETCH, columns, v=value)
    if value.shape == FACT:
        ok = "(v.ok and not v.none)"
        columns = (f"v.x0 as a0, v.s as a, v.s1 as a1, case when v.x0 = v.s0 then v.s_mark end as "
                   f"a_mark, {ok} as a_ok, v.e0 as b0, v.e as b, v.x1 as b1, case when v.x1 = v.e1 "
                   f"then v.e_mark end as b_mark, {ok} as b_ok, {ok} as ok")  # fmt: skip
        return scope.row(STRETCH, columns, v=value)
    raise TypeError(f"a {value.shape} cannot be used as a time")


def timed(node: Node | None, scope: SqlScope) -> str:
    """Return SQL with q, video and the columns of the reference, to be joined with facts."""
    value = reference(node, scope)
    return scope.add(
        f"select c.q, c.video, {names((*STRETCH_COLUMNS, 'ok'), 'v')} "
        f"from {scope.rows} c join {value.cte} v on v.q = c.q", "ref"
    )  # fmt: skip

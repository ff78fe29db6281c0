"""Boxes of instruments and structures at the times at which somebody annotated them."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import BOX, FACT, RANGE, SqlValue
from surgqa.transforms.algebra.tree import Call, Node


def sampled(fact: str) -> str:
    """Return SQL of the name under which a fact's boxes are stored: its track, or its class."""
    return f"coalesce({fact}.track, {fact}.kind || ' ' || {fact}.label)"


def box_at(fact: SqlValue, at: SqlValue, scope: SqlScope) -> SqlValue:
    """Return the box of an instance at a time; unknown between annotated times."""
    sql = f"""
        select c.q, b.x1, b.y1, b.x2, b.y2,
          coalesce(b.x1 is not null and t.lo = t.hi and f.ok and t.ok, false) as ok,
          f.none or t.none as none
        from {scope.rows} c join {fact.cte} f on f.q = c.q join {at.cte} t on t.q = c.q
        left join samples b on b.video = c.video and b.track = {sampled("f")} and b.t = t.at"""
    return SqlValue(BOX, scope.add(sql, BOX))


def start_of(fact: SqlValue, scope: SqlScope) -> SqlValue:
    """Return a fact's start; its lower bound is the earliest start of a fact it may be part of."""
    return scope.row(
        RANGE, "v.x0 as lo, v.s as at, v.s1 as hi, null::bigint as mark, v.ok as ok, "
        "v.none as none", v=fact
    )  # fmt: skip


def when(call: Call, scope: SqlScope) -> SqlValue | None:
    """Return the value of the argument ``at`` of an operator; None if it is left out."""
    at = call.get("at")
    return scope.value(at) if isinstance(at, Node) else None


def thing_at(value: SqlValue, at: SqlValue | None, scope: SqlScope) -> SqlValue:
    """Return the box of a fact at a time; a value that is a box or a point is returned as it is."""
    if value.shape == BOX:
        return value
    assert value.shape == FACT
    return box_at(value, at or start_of(value, scope), scope)

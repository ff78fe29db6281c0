"""Elements in order of time."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.elements import SqlElements, elements_of
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import (
    COLUMNS,
    FACT,
    FACT_COLUMNS,
    GROUP,
    LABEL,
    LISTED,
    RANGE,
    SPANS,
    STRETCH,
    SqlValue,
    names,
)
from surgqa.transforms.algebra.tree import Call, Name, Node, Read
from surgqa.transforms.algebra.types import INSTANT, Type

IT = Name(Type("fact"), "it")
START = Read(INSTANT, IT, "start")
EARLIER = "partition by q order by place rows between unbounded preceding and 1 preceding"


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The result is known if all elements and their order are certain, and no gap may hide another.

    Labels without a time keep their order.
    """
    found = elements_of(call.get("of"), scope)
    found.inner.bound["it"] = found.it
    ordered = _ordered(found, call.get("by"), scope)
    apart = " and count(*) = count(distinct grp)" if found.shape == FACT else ""
    settled = scope.add(
        f"""select q, bool_and(fine){apart} as ok from (select * exclude (fine),
            fine and (place = 1 or not timed or coalesce(lo > max(hi) over ({EARLIER}), false)
            and not coalesce(mark = lag(mark) over (partition by q order by place), false)) as fine
          from {ordered}) group by q""", "settled"
    )  # fmt: skip
    head = scope.add(
        f"""select n.q, coalesce(n.ok and coalesce(s.ok, true), false) as ok
        from {found.head} n left join {settled} s on s.q = n.q""", "head"
    )  # fmt: skip
    return reported(found, head, taken(ordered, call.get("take"), scope), call.get("fields"), scope)


def _ordered(found: SqlElements, by: object, scope: SqlScope) -> str:
    """Return the elements with the time that orders them: the time ``by``, or their own time."""
    time = None
    if isinstance(by, Node) or found.shape in (FACT, STRETCH):
        time = found.inner.value(by if isinstance(by, Node) else START)
    elif found.shape == RANGE:
        time = found.it
    if time is None:
        return scope.add(
            f"""select up as q, q as element, {names(COLUMNS[found.shape])}, sure as fine, 0 as lo,
              0 as hi, null::bigint as mark, false as timed, place from {found.rows}""", "ordered"
        )  # fmt: skip
    kept = [one for one in COLUMNS[found.shape] if one not in ("lo", "hi", "mark")]
    return scope.add(
        f"""select i.up as q, i.q as element, {names(kept, "i")}, i.sure and t.ok as fine,
          t.lo, t.hi, t.mark, true as timed, row_number() over (partition by i.up
          order by t.at, t.hi, i.place) as place
        from {found.rows} i join {time.cte} t on t.q = i.q""", "ordered"
    )  # fmt: skip


def taken(ordered: str, take: object, scope: SqlScope) -> str:
    """Return the first ``take`` elements of each row, or the last if ``take`` is negative."""
    if not isinstance(take, int):
        return ordered
    order = "place" if take > 0 else "place desc"
    return scope.add(
        f"select * from {ordered} qualify row_number() over (partition by q order by {order}) "
        f"<= {abs(take)}", "taken"
    )  # fmt: skip


def reported(found: SqlElements, head: str, rows: str, fields: object, scope: SqlScope) -> SqlValue:
    """Return labels if one label field is wanted, else the elements themselves."""
    if found.shape in (RANGE, STRETCH):
        kept = scope.add(f"select q, place, {names(COLUMNS[found.shape])} from {rows}", "spans")
        return SqlValue(SPANS, head, kept, of=found.shape)
    if found.shape == LABEL:
        return _group(head, rows, found.it, scope)
    reported_fields = fields if isinstance(fields, tuple) and fields else ("label",)
    if len(reported_fields) == 1:
        value = found.inner.value(Read(Type("label"), IT, reported_fields[0]))
        if value.shape == LABEL:
            return _group(head, rows, value, scope)
    kept = scope.add(f"select q, place, {names(FACT_COLUMNS)} from {rows}", "listed")
    return SqlValue(LISTED, head, kept, fields=reported_fields)


def _group(head: str, rows: str, value: SqlValue, scope: SqlScope) -> SqlValue:
    return SqlValue(GROUP, scope.add(
        f"""select v.q, coalesce(m.value, []) as value, v.ok from {head} v
        left join (select r.q, list(l.value order by r.place) as value from {rows} r
          join {value.cte} l on l.q = r.element group by r.q) m on m.q = v.q""", GROUP
    ))  # fmt: skip

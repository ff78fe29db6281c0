"""``labels``, ``sequence`` and ``set`` in SQL, with the same results as ``columns.py``."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.domains import labels_of
from surgqa.transforms.algebra.sql.elements import SqlElements, elements_of
from surgqa.transforms.algebra.sql.reduce import counted, members
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import (
    COLUMNS,
    FACT,
    FACT_COLUMNS,
    FACTS,
    GROUP,
    LABEL,
    LISTED,
    RANGE,
    SPANS,
    STRETCH,
    SqlValue,
    names,
)
from surgqa.transforms.algebra.tree import Call, Name, Node, Pattern, Read
from surgqa.transforms.algebra.types import INSTANT, Type


def labels(call: Call, scope: SqlScope) -> SqlValue:
    return SqlValue(GROUP, labels_of(call.get("of"), scope))


IT = Name(Type("fact"), "it")


START = Read(INSTANT, IT, "start")


EARLIER = "partition by q order by place rows between unbounded preceding and 1 preceding"


def sequence(call: Call, scope: SqlScope) -> SqlValue:
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
    """Return the elements with the times that order them: the expression ``by``, or their own."""
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
    """Return the labels if ``fields`` is one label field, else the elements themselves."""
    if found.shape in (RANGE, STRETCH):
        kept = scope.add(f"select q, place, {names(COLUMNS[found.shape])} from {rows}", "spans")
        return SqlValue(SPANS, head, kept, of=found.shape)
    if found.shape == LABEL:
        return _labels_in_order(head, rows, found.it, scope)
    reported_fields = fields if isinstance(fields, tuple) and fields else ("label",)
    if len(reported_fields) == 1:
        value = found.inner.value(Read(Type("label"), IT, reported_fields[0]))
        if value.shape == LABEL:
            return _labels_in_order(head, rows, value, scope)
    kept = scope.add(f"select q, place, {names(FACT_COLUMNS)} from {rows}", "listed")
    return SqlValue(LISTED, head, kept, fields=reported_fields)


def _labels_in_order(head: str, rows: str, value: SqlValue, scope: SqlScope) -> SqlValue:
    return SqlValue(GROUP, scope.add(
        f"""select v.q, coalesce(m.value, []) as value, v.ok from {head} v
        left join (select r.q, list(l.value order by r.place) as value from {rows} r
          join {value.cte} l on l.q = r.element group by r.q) m on m.q = v.q""", GROUP
    ))  # fmt: skip


def set_(call: Call, scope: SqlScope) -> SqlValue:
    main = call.get("of")
    if isinstance(main, Pattern):
        found, field = scope.value(main), main.field or "label"
    else:
        elements = elements_of(main, scope)
        if elements.shape == LABEL:
            return _distinct(elements, scope)
        found, field = _facts(elements, scope), "label"
    fields = call.get("fields")
    return _listed(found, tuple(fields), scope) if fields else _group(found, field, scope)


def _facts(elements: SqlElements, scope: SqlScope) -> SqlValue:
    """Return the elements as facts whose list is complete (no gaps hide further ones)."""
    rows = scope.add(f"select up as q, {names(FACT_COLUMNS)}, sure as held, sure "
                     f"from {elements.rows}", "facts")  # fmt: skip
    none = scope.add(f"select q from {elements.head} where false", "none")
    return SqlValue(FACTS, elements.head, rows, none)


def _distinct(elements: SqlElements, scope: SqlScope) -> SqlValue:
    """Return each label once, sorted by id."""
    return SqlValue(GROUP, scope.add(
        f"""select h.q, coalesce(m.value, []) as value,
          coalesce(h.ok and coalesce(m.sure, true), false) as ok
        from {elements.head} h left join (select up, list(distinct value order by value nulls first)
          as value, bool_and(sure) as sure from {elements.rows} group by up) m on m.up = h.q""",
        GROUP,
    ))  # fmt: skip


def _listed(found: SqlValue, fields: tuple[str, ...], scope: SqlScope) -> SqlValue:
    tally = counted(found, scope)
    ok = scope.add(
        f"""select t.q, t.ok and not t.unlooked and t.sure = t.may and coalesce(m.apart, true) as ok
        from {tally} t left join (select q, count(*) = count(distinct grp) as apart
          from {found.rows} group by q) m on m.q = t.q""", LISTED
    )  # fmt: skip
    rows = scope.add(
        f"select q, row_number() over (partition by q order by s, track) as place, "
        f"{names(FACT_COLUMNS)} from {found.rows}", "listed"
    )  # fmt: skip
    return SqlValue(LISTED, ok, rows, fields=fields)


def _group(found: SqlValue, field: str, scope: SqlScope) -> SqlValue:
    return SqlValue(GROUP, scope.add(
        f"""select t.q, coalesce(m.value, []) as value,
          t.ok and not t.unlooked and coalesce(m.sure, true) as ok
        from {counted(found, scope)} t left join (select q, list(value order by value) as value,
          bool_and(sure) as sure from {members(found, field, scope)} group by q) m on m.q = t.q""",
        GROUP,
    ))  # fmt: skip

"""Elements in their order."""

from __future__ import annotations

from transforms.algebra.sql.reduce import counted
from transforms.algebra.sql.scope import Scope, element_of
from transforms.algebra.sql.values import FACT, FACT_COLUMNS, GROUP, LABEL, LISTED, Value, names
from transforms.algebra.tree import Call, Name, Read
from transforms.algebra.types import INSTANT, Type

IT = Name(Type("fact"), "it")
START = Read(INSTANT, IT, "start")


def sql(call: Call, scope: Scope) -> Value:
    """Known where all elements are certain, none was overlooked and no two could swap."""
    found = scope.value(call.get("of"))
    kept = f"{names(FACT_COLUMNS, 'm')}, m.sure"
    inner, cte = scope.elements(found.rows, kept, names(FACT_COLUMNS, "m"))
    inner.bound["it"] = element_of(cte, scope, FACT)
    time = inner.value(call.get("by") or START)
    ordered = scope.add(
        f"""select i.up as q, i.q as inner_q, {names(FACT_COLUMNS, "i")}, i.sure and t.ok as fine,
          t.lo, t.hi, t.mark, row_number() over (partition by i.up
          order by t.at, t.hi, i.q) as place
        from {cte} i join {time.cte} t on t.q = i.q""", "ordered"
    )  # fmt: skip
    settled = scope.add(
        f"""select q, bool_and(fine) as ok from (select q, fine and coalesce(lo > max(hi) over (
            partition by q order by place rows between unbounded preceding and 1 preceding)
            and not coalesce(mark = lag(mark) over (partition by q order by place), false),
            place = 1) as fine from {ordered}) group by q""", "settled"
    )  # fmt: skip
    head = scope.add(
        f"""select n.q, coalesce(n.ok and not n.unlooked and coalesce(s.ok, true), false) as ok
        from {counted(found, scope)} n left join {settled} s on s.q = n.q""", LISTED
    )  # fmt: skip
    return told(Value(LISTED, head, taken(ordered, call.get("take"), scope)), inner,
                tuple(call.get("fields") or ("label",)), scope)  # fmt: skip


def taken(ordered: str, take: object, scope: Scope) -> str:
    """The first, or with a negative number the last, so many of each row."""
    if not isinstance(take, int):
        return ordered
    order = "place" if take > 0 else "place desc"
    return scope.add(
        f"select * from {ordered} qualify row_number() over (partition by q order by {order}) "
        f"<= {abs(take)}", "taken"
    )  # fmt: skip


def told(listed: Value, inner: Scope, fields: tuple[str, ...], scope: Scope) -> Value:
    """Labels where one field is told that is a label, else the facts with their fields."""
    if len(fields) == 1:
        value = inner.value(Read(Type("label"), IT, fields[0]))
        if value.shape == LABEL:
            return Value(GROUP, scope.add(
                f"""select v.q, coalesce(m.value, []) as value, v.ok from {listed.cte} v
                left join (select r.q, list(l.value order by r.place) as value from {listed.rows} r
                  join {value.cte} l on l.q = r.inner_q group by r.q) m on m.q = v.q""", GROUP
            ))  # fmt: skip
    rows = scope.add(f"select q, place, {names(FACT_COLUMNS)} from {listed.rows}", "listed")
    return Value(LISTED, listed.cte, rows, fields=fields)

"""``count``, ``exists``, ``peak`` and ``total`` in SQL, with the same results as ``columns.py``."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.measure import limited, most_at_once, union_length
from surgqa.transforms.algebra.sql.reduce import FROM_TO, counted, members, pattern_of
from surgqa.transforms.algebra.sql.references import reference
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import RANGE, TRUTH, SqlValue
from surgqa.transforms.algebra.tree import Call


def count(call: Call, scope: SqlScope) -> SqlValue:
    pattern = pattern_of(call)
    found = scope.value(pattern)
    tally = counted(found, scope)
    if pattern.field:
        what = members(found, pattern.field, scope)
        number = "count(*) filter (where sure) as sure, count(*) as may, true as apart"
        if pattern.field == "track":  # two tracks may be the same instance
            what = found.rows
            number = (
                "count(distinct subject) filter (where sure) as sure, "
                "count(distinct track) as may, count(*) = count(track) as apart"
            )
    else:
        what = found.rows
        number = "count(distinct grp) filter (where sure) as sure, count(*) as may, true as apart"
    numbers = scope.add(
        f"select t.q, coalesce(m.sure, 0) as sure, coalesce(m.may, 0) as may, t.unlooked, "
        f"t.ok and coalesce(m.apart, true) as ok "
        f"from {tally} t left join (select q, {number} from {what} group by q) m on m.q = t.q",
        "number",
    )
    return scope.row(RANGE, FROM_TO, v=SqlValue(RANGE, numbers))


def exists(call: Call, scope: SqlScope) -> SqlValue:
    found = scope.value(pattern_of(call))
    value = "case when v.sure > 0 then true when v.may > 0 or v.unlooked then null else false end"
    tally = SqlValue(TRUTH, counted(found, scope))
    return scope.row(TRUTH, f"{value} as value, v.ok as ok", v=tally)


def peak(call: Call, scope: SqlScope) -> SqlValue:
    pattern = pattern_of(call)
    found = scope.value(pattern)
    ref = reference(pattern.reference, scope).cte
    held = "held" if pattern.relation in ("overlaps", "at") else "sure"
    certain = f"select q, s1 as f, e0 as l from {found.rows} where {held}"
    least = most_at_once(limited(certain, "a1", "b0", ref, scope), scope)
    possible = f"select q, s0 as f, e1 as l from {found.rows}"
    most = most_at_once(limited(possible, "a0", "b1", ref, scope), scope)
    return SqlValue(RANGE, scope.add(
        f"""select t.q, coalesce(a.n, 0) as lo, coalesce(a.n, 0) as at,
          case when t.unlooked then 'inf'::double else coalesce(b.n, 0) end as hi,
          null::bigint as mark, t.ok, false as none
        from {counted(found, scope)} t left join {least} a on a.q = t.q
        left join {most} b on b.q = t.q""", RANGE
    ))  # fmt: skip


def total(call: Call, scope: SqlScope) -> SqlValue:
    pattern = pattern_of(call)
    found = scope.value(pattern)
    ref = reference(pattern.reference, scope).cte
    held = "held" if pattern.relation in ("overlaps", "at") else "sure"

    def length(intervals: str, low: str, high: str) -> str:
        return union_length(limited(intervals, low, high, ref, scope), scope)

    least = length(f"select q, s1 as f, e0 as l from {found.rows} where {held}", "a1", "b0")
    printed = length(f"select q, s as f, e as l from {found.rows} where {held}", "a", "b")
    most = length(f"select q, x0 as f, x1 as l from {found.rows} union all "
                  f"select q, u0, u1 from {found.holes}", "a0", "b1")  # fmt: skip
    return SqlValue(RANGE, scope.add(
        f"""select x.q, x.lo, greatest(least(x.at, x.hi), x.lo) as at, x.hi,
          null::bigint as mark, x.ok, false as none
        from (select v.q, coalesce(a.us, 0) as lo, coalesce(b.us, 0) as at,
            coalesce(c.us, 0) as hi, v.ok
          from {found.cte} v left join {least} a on a.q = v.q left join {printed} b on b.q = v.q
          left join {most} c on c.q = v.q) x""", RANGE
    ))  # fmt: skip

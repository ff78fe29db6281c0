"""The total time during which any matching fact holds."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.measure import limited, union_length
from surgqa.transforms.algebra.sql.reduce import pattern_of
from surgqa.transforms.algebra.sql.references import reference
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import RANGE, SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The length lies between that of the facts that certainly hold and of those that may hold."""
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

"""The largest number of facts that hold at the same time."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.measure import limited, most_at_once
from surgqa.transforms.algebra.sql.reduce import counted, pattern_of
from surgqa.transforms.algebra.sql.references import reference
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import RANGE, SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The number lies between two bounds: the most facts that certainly hold at one instant, and
    the most that may hold at one instant.
    """
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

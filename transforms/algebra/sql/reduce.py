"""Helpers for operators that compute one value from the facts of a pattern."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.patterns import field
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import FACT, FACT_COLUMNS, SqlValue, names
from surgqa.transforms.algebra.tree import Call, Pattern

FROM_TO = (
    "v.sure::double as lo, v.sure::double as at, case when v.unlooked then 'inf'::double "
    "else v.may::double end as hi, null::bigint as mark, v.ok as ok, false as none"
)
"""A number from ``sure`` to ``may``; the upper bound is infinite if a gap may hide more facts."""


def pattern_of(call: Call) -> Pattern:
    """Return the pattern (the selection of facts) that is the operator's main argument."""
    pattern = call.get("of")
    assert isinstance(pattern, Pattern)
    return pattern


def counted(found: SqlValue, scope: SqlScope) -> str:
    """Return SQL with q, sure, may, unlooked and ok, one row for each q of the scope.

    ``sure`` and ``may`` are the numbers of certain and possible facts; ``unlooked`` is true if an
    unannotated gap may hide more.
    """
    return scope.add(
        f"""select v.q, coalesce(m.sure, 0) as sure, coalesce(m.may, 0) as may,
          h.q is not null as unlooked, v.ok
        from {found.cte} v
        left join (select q, count(*) filter (where sure) as sure, count(*) as may
          from {found.rows} group by q) m on m.q = v.q
        left join (select distinct q from {found.holes}) h on h.q = v.q""", "tally"
    )  # fmt: skip


def picked(found: SqlValue, chosen: str, call: Call, scope: SqlScope, ok: str = "true") -> SqlValue:
    """Return, for each q, the one chosen fact, or none.

    Args:
        chosen: SQL with q and FACT_COLUMNS, at most one row for each q.
        ok: a further condition on the fact, which has the alias ``x``.
    """
    main = call.get("of")
    may_be_none = isinstance(main, Pattern) and main.or_none
    nothing = "n.may = 0 and not n.unlooked and n.ok" if may_be_none else "false"
    sql = f"""select n.q, {names(FACT_COLUMNS, "x")},
          coalesce(x.q is not null and n.ok and {ok}, false) as ok, {nothing} as none
        from {counted(found, scope)} n left join {chosen} x on x.q = n.q"""
    return SqlValue(FACT, scope.add(sql, FACT))


def earliest(call: Call, scope: SqlScope, border: str, sign: int) -> SqlValue:
    """Return the fact that starts or ends first (last with ``sign`` -1), if that is certain.

    The fact certainly matches, and no other fact can be first.

    Args:
        border: ``start`` or ``end``.
    """
    found = scope.value(pattern_of(call))
    low, high = {"start": ("least(s0, x0)", "s1"), "end": ("e0", "greatest(e1, x1)")}[border]
    best, worst, hole = (low, high, "u0") if sign > 0 else (f"-{high}", f"-{low}", "-u1")
    bound = scope.add(
        f"select q, min({worst}) filter (where sure) as bound from {found.rows} group by q", "bound"
    )
    apart = ""
    if (border == "start") == (sign > 0) and found.table:
        alone = _alone(scope, found, bound, sign)
        apart = (f"and ((sure and {worst} = b.bound) or not exists "
                 f"(select 1 from {alone} a where a.q = r.q and a.grp = r.grp))")  # fmt: skip
    rivals = scope.add(
        f"""select r.*, count(*) over (partition by r.q) as n from {found.rows} r
        join {bound} b on b.q = r.q where b.bound is not null and {best} <= b.bound {apart}""",
        "rival"
    )  # fmt: skip
    chosen = scope.add(
        f"""select q, {names(FACT_COLUMNS)} from {rivals} r where n = 1 and sure and not exists
        (select 1 from {found.holes} h join {bound} b on b.q = h.q
         where h.q = r.q and {hole} <= b.bound)""", "chosen"
    )  # fmt: skip
    return picked(found, chosen, call, scope)


def _alone(scope: SqlScope, found: SqlValue, bound: str, sign: int) -> str:
    """Return (q, grp) of the leaders whose group has no other fact that can come as early.

    The leader of a row is the certain match with the earliest latest time (``bound``). Facts with
    the same ``grp`` may be parts of one longer fact; the pattern may exclude some of them.
    """
    own, latest = ("s0", "s1") if sign > 0 else ("-e1", "-e0")
    order = f"row_number() over (partition by video, grp order by {own}) as k"
    second = scope.add(
        f"select video, grp, {own} as t, {order} from {found.table} qualify k = 2", "second"
    )
    return scope.add(
        f"""select f.q, f.grp from {found.rows} f join {bound} b on b.q = f.q
        join {scope.rows} c on c.q = f.q
        left join {second} n on n.video = c.video and n.grp = f.grp
        where f.sure and {latest} = b.bound and coalesce(n.t > b.bound, true)""", "alone"
    )  # fmt: skip


def members(found: SqlValue, name: str, scope: SqlScope) -> str:
    """Return SQL (q, value, sure) of the different values of a field, certain or only possible."""
    return scope.add(
        f"""select q, {field(name)} as value, bool_or(sure) as sure from {found.rows}
        where {field(name)} is not null group by all""", "member"
    )  # fmt: skip

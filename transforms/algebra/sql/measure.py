"""The total length of overlapping intervals, and how many of them hold at the same time."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.scope import SqlScope


def limited(intervals: str, low: str, high: str, ref: str, scope: SqlScope) -> str:
    """Return SQL (q, f, l) of intervals cut to their overlap with a stretch, without empty ones.

    Args:
        intervals: SQL with the columns q, f (first), l (last).
        low, high: columns of ``ref`` with the ends of the stretch.
    """
    return scope.add(
        f"""select * from (select i.q, greatest(i.f, r.{low}) as f, least(i.l, r.{high}) as l
        from ({intervals}) i join {ref} r on r.q = i.q) where f < l""", "inside"
    )  # fmt: skip


def union_length(inside: str, scope: SqlScope) -> str:
    """Return SQL (q, us) of the length that the intervals cover; no row without intervals."""
    return scope.add(
        f"""select q, sum(fresh)::bigint as us from (select q, greatest(l - greatest(f, coalesce(
          max(l) over (partition by q order by f, l rows between unbounded preceding and
          1 preceding), f)), 0) as fresh from {inside}) group by q""", "union"
    )  # fmt: skip


def most_at_once(inside: str, scope: SqlScope) -> str:
    """Return SQL (q, n) of the largest number of intervals at one instant.

    If one interval ends when another starts, they do not overlap.
    """
    return scope.add(
        f"""select q, max(n)::double as n from (select q, sum(d) over (partition by q order by t, d
          rows unbounded preceding) as n from (select q, f as t, 1 as d from {inside}
          union all select q, l, -1 from {inside})) group by q""", "most"
    )  # fmt: skip

"""Merging of facts: "in view" of two graspers becomes one fact if only the class is asked for.

Facts that are equal in some fields and touch are merged (in SQL: gaps and islands). Two facts touch
if they certainly share a moment or a border. They also touch if one ends and the other starts
between the same two annotated frames, and both frames show the same. A fact that was overlooked in
an unannotated gap may join two of them. So the result also has ``grp``, a number of facts that may
be one, and the bounds of each such group.
"""

from __future__ import annotations

from surgqa.transforms.algebra.sql.scope import SqlScope, SqlScript
from surgqa.transforms.algebra.sql.values import FACT_COLUMNS, INFINITE, TEXTS, names

ALIKE = ("kind", "label", "subject", "verb", "target", "rater")
"""Fields in which two facts that may be one must agree: all but the instance."""

BEFORE = "rows between unbounded preceding and 1 preceding"
PASSES = 2
"""Passes of :func:`_apart`; the second separates facts that only shared a border's number."""


def merged(scope: SqlScope, facts: str, holes: str, keys: tuple[str, ...], gap: int) -> str:
    """Return merged facts; fields that are not in ``keys`` are null, except a track's class."""
    steps = SqlScript()  # one CTE for the whole script: other queries share only the result
    islands = _numbered(steps, facts, keys)
    for _ in range(PASSES):
        islands = _apart(steps, islands, gap)
    whole = _joined(steps, islands, keys)
    whole = _into_holes(steps, whole, holes, keys, gap)
    return scope.share(steps.query(f"from {_reaching(steps, whole, keys, gap)}"), "merged")


def _numbered(steps: SqlScript, facts: str, keys: tuple[str, ...]) -> str:
    """Return facts with a rank and two numbers, which equal facts share.

    Facts share ``part`` if their ``keys`` are equal, and ``alike`` if all fields but the instance
    are equal.
    """
    order = "s, e1, s0, s1, e0, label, subject, track, verb, target"
    return steps.add(
        f"""select *, dense_rank() over (order by {names(("video", "kind", *keys))}) as part,
          dense_rank() over (order by {names(ALIKE)}) as alike,
          row_number() over (order by {order}, video, kind, proof) as place
        from {facts}""", "numbered"
    )  # fmt: skip


def _apart(steps: SqlScript, facts: str, gap: int) -> str:
    """Return the facts with new numbers ``part``; facts that do not touch get different numbers."""
    by_mark = steps.add(f"select part, e_mark, min(place) as place from {facts} "
                        "where e_mark is not null group by all", "border")  # fmt: skip
    by_gap = steps.add(f"select part, e_gap, alike, min(place) as place from {facts} "
                       "where e_gap is not null group by all", "between")  # fmt: skip
    fresh = steps.add(
        f"""select f.*, not (coalesce(f.s1 <= max(f.e0) over (partition by f.part order by f.place
            {BEFORE}) + {gap}, false) or coalesce(m.place < f.place, false)
            or coalesce(g.place < f.place and f.s <> f.s1, false)) as fresh
        from {facts} f left join {by_mark} m on m.part = f.part and m.e_mark = f.s_mark
        left join {by_gap} g on g.part = f.part and g.e_gap = f.s_gap and g.alike = f.alike""",
        "fresh",
    )
    return steps.add(
        f"""select * exclude (part, fresh, island), 
          dense_rank() over (order by part, island) as part from (select *,
          sum(fresh::int) over (partition by part order by place) as island
          from {fresh})""", "island"
    )  # fmt: skip


def _joined(steps: SqlScript, islands: str, keys: tuple[str, ...]) -> str:
    """Return one fact for each island (facts to merge), from its first start to its last end."""
    kept = {"kind", *keys, *(("subject",) if "track" in keys else ())}
    texts = ", ".join(f"b.{one}" if one in kept else f"null::varchar as {one}" for one in TEXTS)
    there = "a.t0, a.t1" if "track" in keys else "0::bigint as t0, -1::bigint as t1"
    begins = _one_each(steps, islands, "s1, s0, place")
    ends = _one_each(steps, islands, "e0 desc, e1 desc, place")
    return steps.add(
        f"""select b.video, {texts}, b.s0, b.s, b.s1, e.e0, e.e, e.e1, b.s_mark, e.e_mark,
          b.s_gap, e.e_gap, {there}, b.value_lo, b.value_hi, b.proof, a.sure, b.part as id
        from {begins} b join {ends} e on e.part = b.part
        join (select part, bool_and(sure) as sure, min(t0) as t0, max(t1) as t1 from {islands}
          group by part) a on a.part = b.part""", "joined"
    )  # fmt: skip


def _one_each(steps: SqlScript, islands: str, order: str) -> str:
    first = f"row_number() over (partition by part order by {order}) = 1"
    return steps.add(f"select * from {islands} qualify {first}", "edge")


def _into_holes(steps: SqlScript, facts: str, holes: str, keys: tuple[str, ...], gap: int) -> str:
    """Return facts extended into unannotated gaps that they may touch."""
    of_class = "track" in keys or "subject" in keys
    mine = "(h.subject is null or h.subject = f.subject)" if of_class else "true"
    whose = "f.subject" if of_class else "null::varchar"
    near = steps.add(
        f"""select distinct f.video, f.kind, {whose} as whose, h.u0, h.u1 from {facts} f
        join {holes} h on h.video = f.video and h.kind = f.kind and {mine}""", "beside"
    )  # fmt: skip
    part = "partition by video, kind, whose"
    chains = steps.add(
        f"""select video, kind, whose, min(u0) as u0, max(u1) as u1
        from (select *, sum(fresh::int) over ({part} order by u0, u1) as chain
          from (select *, coalesce(u0 - {gap} > max(u1) over ({part} order by u0, u1 {BEFORE}),
            true) as fresh from {near}))
        group by video, kind, whose, chain""", "chain"
    )  # fmt: skip
    return steps.add(
        f"""select f.* replace (least(f.s0, c.u0) as s0, greatest(f.e1, c.u1) as e1)
        from {facts} f left join (select f.id,
            min(h.u0) filter (where h.u1 + {gap} >= f.s0 and h.u0 <= f.s1) as u0,
            max(h.u1) filter (where h.u0 - {gap} <= f.e1 and h.u1 >= f.e0) as u1
          from {facts} f join {chains} h on h.video = f.video and h.kind = f.kind
            and h.whose is not distinct from {whose} group by f.id) c on c.id = f.id""", "reach"
    )  # fmt: skip


def _reaching(steps: SqlScript, facts: str, keys: tuple[str, ...], gap: int) -> str:
    """Return facts with ``grp``, shared by facts that may be one, and the bounds of each group."""
    alike = names(("video", "kind", *("subject" if one == "track" else one for one in keys)))
    ranked = steps.add(
        f"select *, dense_rank() over (order by {alike}) as alike, "
        f"row_number() over (order by {alike}, s0, s, e1, track) as place from {facts}", "ranked"
    )  # fmt: skip
    pairs = steps.add(
        f"""select i.id as a, j.id as b, j.s1 from {ranked} i join {ranked} j
        on i.alike = j.alike and i.place < j.place and j.s0 <= i.e1 + {gap}
        and (not (i.t0 < j.t1 and j.t0 < i.t1) or i.track is not distinct from j.track)""", "pair"
    )  # fmt: skip
    roots = steps.add(
        f"""with recursive reached(a, b) as (select id, id from {ranked} union
          select r.a, l.b from reached r join (select a, b from {pairs} union all
            select b, a from {pairs}) l on l.a = r.b)
        select a as id, min(b) as grp from reached group by a""", "root"
    )  # fmt: skip
    moved = steps.add(
        f"""select f.* replace (greatest(f.e1, p.s1) as e1), r.grp from {ranked} f
        join {roots} r on r.id = f.id
        left join (select a, max(s1) as s1 from {pairs} group by a) p on p.a = f.id""", "moved"
    )  # fmt: skip
    columns = names([one for one in FACT_COLUMNS if one not in ("x0", "x1", "origin")])
    return steps.add(
        f"""select video, {columns}, origin, sure, min(s0) over (partition by grp) as x0,
          max(e1) over (partition by grp) as x1 from {moved}""", "merged"
    )  # fmt: skip


def bridged(scope: SqlScope, holes: str, keys: tuple[str, ...], gap: int) -> str:
    """Return the unannotated gaps; two become one if one merged fact may lie in both."""
    of_class = "track" in keys or "subject" in keys
    subject = "subject" if of_class else "null::varchar as subject"
    part = "partition by video, kind, label, subject"
    return scope.share(
        f"""select video, kind, label, subject, min(u0) as u0, max(u1) as u1,
          case when count(*) > 1 then {INFINITE} else min(floor) end as floor
        from (select *, sum(fresh::int) over ({part} order by u0, u1) as chain
          from (select *, coalesce(u0 > max(u1) over ({part} order by u0, u1 {BEFORE}) + {gap},
            true) as fresh from (select video, kind, label, {subject}, u0, u1, floor from {holes})))
        group by video, kind, label, subject, chain""", "bridge"
    )  # fmt: skip

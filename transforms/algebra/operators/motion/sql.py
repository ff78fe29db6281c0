"""How a track moves."""

from __future__ import annotations

from transforms.algebra.sql.references import timed
from transforms.algebra.sql.scope import Scope
from transforms.algebra.sql.values import FACT, MOTION, Value
from transforms.algebra.tree import Call

SECOND_US = 1_000_000


def sql(call: Call, scope: Scope) -> Value:
    """Path and speeds over the samples of a stretch; each annotated instant must have its box.

    A chosen stretch has both its ends; a fact no longer holds at its own end.
    """
    fact, over = scope.value(call.get("of")), timed(call.get("over"), scope)
    last = 1 if scope.value(call.get("over")).shape == FACT else 0
    seen = scope.add(
        f"""select c.q, s.t, (s.x1 + s.x2) / 2 as x, (s.y1 + s.y2) / 2 as y
        from {over} c join {fact.cte} f on f.q = c.q join samples s
        on s.video = c.video and s.track = f.track and s.t >= c.a1 and s.t <= c.b0 - {last}""",
        "seen",
    )
    steps = scope.add(
        f"""select q, sqrt(pow(x - lag(x) over w, 2) + pow(y - lag(y) over w, 2)) as length,
          (t - lag(t) over w) / {SECOND_US} as seconds
        from {seen} window w as (partition by q order by t)""", "step"
    )  # fmt: skip
    told = scope.add(
        f"""select q, sum(length) as path, sum(length) / greatest(sum(seconds), 1e-9) as mean_speed,
          min(length / greatest(seconds, 1e-9)) as min_speed,
          max(length / greatest(seconds, 1e-9)) as max_speed, count(*)::double as samples
        from {steps} group by q""", "told"
    )  # fmt: skip
    inner, outer = (
        scope.add(
            f"""select c.q, count(i.t) as n from {over} c left join instants i
            on i.video = c.video and i.t >= c.{low} and i.t <= c.{high} - {last} group by c.q""",
            "instants",
        )
        for low, high in (("a1", "b0"), ("a0", "b1"))
    )
    return Value(MOTION, scope.add(
        f"""select c.q, m.* exclude (q), coalesce(c.ok and f.ok and m.samples >= 2
          and m.samples = i.n and m.samples = o.n, false) as ok, f.none
        from {over} c join {fact.cte} f on f.q = c.q join {inner} i on i.q = c.q
        join {outer} o on o.q = c.q left join {told} m on m.q = c.q""", MOTION
    ))  # fmt: skip

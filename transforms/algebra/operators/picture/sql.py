"""``box``, ``distance``, ``iou`` and ``motion`` in SQL, with the same results as ``columns.py``."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.boxes import box_at, sampled, start_of, thing_at, when
from surgqa.transforms.algebra.sql.elements import elements_of
from surgqa.transforms.algebra.sql.references import timed
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import FACT, MOTION, RANGE, STRETCH, TRUTH, SqlValue
from surgqa.transforms.algebra.tree import Amount, Call, Name, Node
from surgqa.transforms.algebra.types import STRETCH as STRETCH_TYPE


def box(call: Call, scope: SqlScope) -> SqlValue:
    fact = scope.value(call.get("of"))
    return box_at(fact, when(call, scope) or start_of(fact, scope), scope)


DISTANCE = "sqrt(pow((a.x1 + a.x2 - b.x1 - b.x2) / 2, 2) + pow((a.y1 + a.y2 - b.y1 - b.y2) / 2, 2))"


def distance(call: Call, scope: SqlScope) -> SqlValue:
    at = when(call, scope)
    a, b = (thing_at(scope.value(node), at, scope) for node in call.get("of"))
    return scope.row(
        RANGE, f"{DISTANCE} as lo, {DISTANCE} as at, {DISTANCE} as hi, null::bigint as mark, "
        "a.ok and b.ok as ok, a.none or b.none as none", a=a, b=b
    )  # fmt: skip


WIDE, HIGH = (f"greatest(least(a.{x}2, b.{x}2) - greatest(a.{x}1, b.{x}1), 0)" for x in "xy")


BOTH = f"({WIDE} * {HIGH})"


AREAS = "((a.x2 - a.x1) * (a.y2 - a.y1) + (b.x2 - b.x1) * (b.y2 - b.y1))"


OF_BOXES = f"case when {AREAS} - {BOTH} > 0 then {BOTH} / ({AREAS} - {BOTH}) else 0 end"


def iou(call: Call, scope: SqlScope) -> SqlValue:
    values = [scope.value(node) for node in call.get("of")]
    if all(value.shape == STRETCH for value in values):
        found = _of_stretches(*values, scope)
    else:
        at = when(call, scope)
        a, b = (thing_at(value, at, scope) for value in values)
        found = scope.row(
            RANGE, f"{OF_BOXES} as lo, {OF_BOXES} as at, {OF_BOXES} as hi, null::bigint as mark, "
            "a.ok and b.ok as ok, a.none or b.none as none", a=a, b=b
        )  # fmt: skip
    least = call.get("least")
    if not isinstance(least, Amount):
        return found
    value = f"case when v.lo >= {least.low!r} then true when v.hi < {least.low!r} then false end"
    return scope.row(TRUTH, f"{value} as value, v.ok as ok", v=found)


def _of_stretches(a: SqlValue, b: SqlValue, scope: SqlScope) -> SqlValue:
    """Return the intersection over union of two stretches: the least, printed and greatest."""

    def both(start: str, end: str) -> str:
        return f"greatest(least(a.{end}, b.{end}) - greatest(a.{start}, b.{start}), 0)"

    def span(start: str, end: str) -> str:
        return f"(greatest(a.{end}, b.{end}) - least(a.{start}, b.{start}))"

    shared = both("a", "b")
    whole = f"greatest({span('a', 'b')}, (a.b - a.a) + (b.b - b.a) - {shared}, 1)"
    columns = (
        f"{both('a1', 'b0')} / greatest({span('a0', 'b1')}, 1)::double as lo, "
        f"{shared} / {whole}::double as at, least({both('a0', 'b1')} / "
        "greatest(greatest(a.b0, b.b0) - least(a.a1, b.a1), 1)::double, 1) as hi, "
        "null::bigint as mark, a.ok and b.ok as ok, false as none"
    )
    return scope.row(RANGE, columns, a=a, b=b)


SECOND_US = 1_000_000


IT = Name(STRETCH_TYPE, "it")


def motion(call: Call, scope: SqlScope) -> SqlValue:
    fact = scope.value(call.get("of"))
    over, head, last = _pieces(call.get("over"), scope)
    seen = scope.add(
        f"""select c.q, c.piece, s.t, (s.x1 + s.x2) / 2 as x, (s.y1 + s.y2) / 2 as y
        from {over} c join {fact.cte} f on f.q = c.q join samples s
        on s.video = c.video and s.track = {sampled("f")} and s.t >= c.a1
          and s.t <= c.b0 - {last}""",
        "seen",
    )
    measures = _measures(seen, scope)
    whole = _complete(over, seen, last, scope)
    return SqlValue(MOTION, scope.add(
        f"""select c.q, m.* exclude (q), coalesce(h.ok and f.ok and w.ok and m.path is not null,
          false) as ok, f.none
        from {scope.rows} c join {fact.cte} f on f.q = c.q join {head} h on h.q = c.q
        left join {whole} w on w.q = c.q left join {measures} m on m.q = c.q""", MOTION
    ))  # fmt: skip


def _pieces(over: Node, scope: SqlScope) -> tuple[str, str, int]:
    """Return (SQL of the stretches to measure, SQL of whether they are defined, 1 or 0).

    The stretches have the columns q (row), piece, video, their bounds and ok. The last result is 1
    if they are facts, which no longer hold at their end, and 0 for other stretches.
    """
    if over.type.name in ("facts", "stretches"):
        found = elements_of(over, scope)
        found.inner.bound["it"] = found.it
        times = timed(IT, found.inner)
        rows = scope.add(
            f"""select i.up as q, i.q as piece, r.* exclude (q, ok), r.ok and i.sure as ok
            from {found.rows} i join {times} r on r.q = i.q""", "piece"
        )  # fmt: skip
        return rows, found.head, int(found.shape == FACT)
    times = timed(over, scope)
    rows = scope.add(f"select *, 0 as piece from {times}", "piece")
    return rows, times, int(scope.value(over).shape == FACT)


def _measures(seen: str, scope: SqlScope) -> str:
    """Return SQL of path, speeds and number of boxes over all stretches together."""
    steps = scope.add(
        f"""select q, sqrt(pow(x - lag(x) over w, 2) + pow(y - lag(y) over w, 2)) as length,
          (t - lag(t) over w) / {SECOND_US} as seconds
        from {seen} window w as (partition by q, piece order by t)""", "step"
    )  # fmt: skip
    return scope.add(
        f"""select q, sum(length) as path, sum(length) / greatest(sum(seconds), 1e-9) as mean_speed,
          min(length / greatest(seconds, 1e-9)) as min_speed,
          max(length / greatest(seconds, 1e-9)) as max_speed, count(*)::double as samples
        from {steps} group by q""", "told"
    )  # fmt: skip


def _complete(over: str, seen: str, last: int, scope: SqlScope) -> str:
    """Return SQL with q (row) and ok: whether each annotated instant of its stretches has a box."""
    inner, outer = (
        scope.add(
            f"""select c.q, c.piece, count(i.t) as n from {over} c left join instants i
            on i.video = c.video and i.t >= c.{low} and i.t <= c.{high} - {last}
            group by c.q, c.piece""", "instants"
        )
        for low, high in (("a1", "b0"), ("a0", "b1"))
    )  # fmt: skip
    return scope.add(
        f"""select c.q, bool_and(coalesce(c.ok and coalesce(s.n, 0) = i.n and i.n = o.n, false))
          as ok
        from {over} c join {inner} i on i.q = c.q and i.piece = c.piece
        join {outer} o on o.q = c.q and o.piece = c.piece
        left join (select q, piece, count(*) as n from {seen} group by q, piece) s
        on s.q = c.q and s.piece = c.piece group by c.q""", "whole"
    )  # fmt: skip

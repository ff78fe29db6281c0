"""The overlap of two boxes or stretches."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.boxes import thing_at, when
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import RANGE, STRETCH, TRUTH, SqlValue
from surgqa.transforms.algebra.tree import Amount, Call

WIDE, HIGH = (f"greatest(least(a.{x}2, b.{x}2) - greatest(a.{x}1, b.{x}1), 0)" for x in "xy")
BOTH = f"({WIDE} * {HIGH})"
AREAS = "((a.x2 - a.x1) * (a.y2 - a.y1) + (b.x2 - b.x1) * (b.y2 - b.y1))"
OF_BOXES = f"case when {AREAS} - {BOTH} > 0 then {BOTH} / ({AREAS} - {BOTH}) else 0 end"


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The result is the intersection over union; with ``least``, whether it is at least
    that value.
    """
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
    """Return the overlap, from the certain intersection to the possible intersection."""

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

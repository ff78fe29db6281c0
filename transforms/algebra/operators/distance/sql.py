"""The distance between two things in the frame."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.boxes import thing_at, when
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import RANGE, SqlValue
from surgqa.transforms.algebra.tree import Call

DISTANCE = "sqrt(pow((a.x1 + a.x2 - b.x1 - b.x2) / 2, 2) + pow((a.y1 + a.y2 - b.y1 - b.y2) / 2, 2))"


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """Distance of the box centres; x and y are fractions of the frame's width and height."""
    at = when(call, scope)
    a, b = (thing_at(scope.value(node), at, scope) for node in call.get("of"))
    return scope.row(
        RANGE, f"{DISTANCE} as lo, {DISTANCE} as at, {DISTANCE} as hi, null::bigint as mark, "
        "a.ok and b.ok as ok, a.none or b.none as none", a=a, b=b
    )  # fmt: skip

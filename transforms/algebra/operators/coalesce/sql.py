"""The first of several values that is not none."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import COLUMNS, SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The first value that is not certainly none. If that value is unknown, so is the result."""
    values = [scope.value(node) for node in call.get("of")]
    out = values[0]
    for other in values[1:]:
        columns = ", ".join(
            f"case when a.none then b.{name} else a.{name} end as {name}"
            for name in COLUMNS[out.shape]
        )
        out = scope.row(out.shape, columns, a=out, b=other)
    return out

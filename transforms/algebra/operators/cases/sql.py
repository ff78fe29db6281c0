"""The statement whose condition is true."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.truths import holds
from surgqa.transforms.algebra.sql.values import LABEL, SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The index of the statement that is certainly true while all others are certainly false."""
    parts = {f"p{k}": holds(node, scope) for k, (_, node) in enumerate(call.get("of"))}
    number = " ".join(f"when {name}.value then '{k}'" for k, name in enumerate(parts))
    known = [f"{name}.ok and {name}.value is not null" for name in parts]
    held = " + ".join(f"coalesce({name}.value, false)::int" for name in parts)
    ok = f"{' and '.join(known)} and {held} = 1"
    columns = f"case {number} end as value, ({ok}) as ok, false as none"
    return scope.row(LABEL, columns, **parts)

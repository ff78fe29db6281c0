"""The only matching fact."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.reduce import counted, pattern_of, picked
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import FACT_COLUMNS, SqlValue, names
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The fact that certainly matches, if no other may match, not even in unannotated gaps."""
    found = scope.value(pattern_of(call))
    chosen = scope.add(
        f"select r.q, {names(FACT_COLUMNS, 'r')} from {found.rows} r join "
        f"{counted(found, scope)} n on n.q = r.q where r.sure and n.may = 1 and not n.unlooked",
        "chosen",
    )
    return picked(found, chosen, call, scope)

"""Whether any fact matches."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.reduce import counted, pattern_of
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import TRUTH, SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """True if a fact certainly matches; false if none may match, not even in unannotated gaps."""
    found = scope.value(pattern_of(call))
    value = "case when v.sure > 0 then true when v.may > 0 or v.unlooked then null else false end"
    tally = SqlValue(TRUTH, counted(found, scope))
    return scope.row(TRUTH, f"{value} as value, v.ok as ok", v=tally)

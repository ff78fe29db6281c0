"""The negation of a condition."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.truths import holds
from surgqa.transforms.algebra.sql.values import TRUTH, SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """True if the condition is certainly false; false if it is certainly true; else unknown."""
    return scope.row(TRUTH, "not v.value as value, v.ok as ok", v=holds(call.get("of"), scope))

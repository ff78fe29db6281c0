"""The matching facts, for use by other steps."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.reduce import pattern_of
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """All facts that certainly or possibly match."""
    return scope.value(pattern_of(call))

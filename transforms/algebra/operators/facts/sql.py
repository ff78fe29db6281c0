"""The matching facts, for use by other steps."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.reduce import pattern_of
from surgqa.transforms.algebra.sql.scope import Scope
from surgqa.transforms.algebra.sql.values import Value
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: Scope) -> Value:
    """All facts that certainly or possibly match."""
    return scope.value(pattern_of(call))

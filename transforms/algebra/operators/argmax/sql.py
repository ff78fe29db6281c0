"""The element with the greatest value."""

from __future__ import annotations

from transforms.algebra.sql.best import best
from transforms.algebra.sql.scope import Scope
from transforms.algebra.sql.values import Value
from transforms.algebra.tree import Call


def sql(call: Call, scope: Scope) -> Value:
    """The element whose value is certainly greater than the values of all other elements."""
    return best(call, scope, 1)

"""The element with the greatest value."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.best import best
from surgqa.transforms.algebra.sql.scope import Scope
from surgqa.transforms.algebra.sql.values import Value
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: Scope) -> Value:
    """The element whose value is certainly greater than the values of all other elements."""
    return best(call, scope, 1)

"""The element with the least value."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.best import best
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The element whose value is certainly less than the values of all other elements."""
    return best(call, scope, -1)

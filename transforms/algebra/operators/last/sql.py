"""The matching fact that ends last."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.reduce import earliest
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The fact that certainly matches and certainly ends after every other possible match."""
    return earliest(call, scope, call.get("by", "end"), -1)

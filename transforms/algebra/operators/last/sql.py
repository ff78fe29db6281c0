"""The matching fact that ends last."""

from __future__ import annotations

from transforms.algebra.sql.reduce import earliest
from transforms.algebra.sql.scope import Scope
from transforms.algebra.sql.values import Value
from transforms.algebra.tree import Call


def sql(call: Call, scope: Scope) -> Value:
    """The fact that certainly matches and certainly ends after every other possible match."""
    return earliest(call, scope, call.get("by", "end"), -1)

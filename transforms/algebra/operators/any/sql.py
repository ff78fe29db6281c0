"""Several conditions, at least one of them."""

from __future__ import annotations

from transforms.algebra.sql.scope import Scope
from transforms.algebra.sql.truths import joined
from transforms.algebra.sql.values import Value
from transforms.algebra.tree import Call


def sql(call: Call, scope: Scope) -> Value:
    """True if one certainly holds, false if none can; all must be defined."""
    return joined(call, "or", scope)

"""Several conditions, all of them."""

from __future__ import annotations

from transforms.algebra.sql.scope import Scope
from transforms.algebra.sql.truths import joined
from transforms.algebra.sql.values import Value
from transforms.algebra.tree import Call


def sql(call: Call, scope: Scope) -> Value:
    """True if all certainly hold, false if one certainly does not; all must be defined."""
    return joined(call, "and", scope)

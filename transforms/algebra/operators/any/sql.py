"""Conditions joined by OR."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.scope import Scope
from surgqa.transforms.algebra.sql.truths import joined
from surgqa.transforms.algebra.sql.values import Value
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: Scope) -> Value:
    """True if one condition certainly holds; false if all certainly fail. Each must be defined."""
    return joined(call, "or", scope)

"""Conditions joined by OR."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.truths import joined
from surgqa.transforms.algebra.sql.values import SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """True if one condition certainly holds; false if all certainly fail. Each must be defined."""
    return joined(call, "or", scope)

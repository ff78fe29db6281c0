"""Conditions joined by AND."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.truths import joined
from surgqa.transforms.algebra.sql.values import SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """True if all conditions certainly hold; false if one certainly fails. Each must be defined."""
    return joined(call, "and", scope)

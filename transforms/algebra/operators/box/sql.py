"""The box of a fact or a track at one time."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.boxes import box_at, start_of, when
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The annotated box at exactly that instant; unknown between annotated instants."""
    fact = scope.value(call.get("of"))
    return box_at(fact, when(call, scope) or start_of(fact, scope), scope)

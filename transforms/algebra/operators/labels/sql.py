"""All labels that a kind can have here."""

from __future__ import annotations

from transforms.algebra.sql.domains import labels_of
from transforms.algebra.sql.scope import Scope
from transforms.algebra.sql.values import GROUP, Value
from transforms.algebra.tree import Call


def sql(call: Call, scope: Scope) -> Value:
    """Those that the recording's labels can say and that were looked for, by id."""
    return Value(GROUP, labels_of(call.get("of"), scope))

"""All labels that a kind, a domain or a scale can have."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.domains import labels_of
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import GROUP, SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The labels that the annotations of this video could contain, sorted by id."""
    return SqlValue(GROUP, labels_of(call.get("of"), scope))

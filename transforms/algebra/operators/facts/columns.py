"""The matching facts, for use by other steps."""

from __future__ import annotations

from transforms.algebra.columns.arguments import facts_of
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import Many
from transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Many:
    """All facts that certainly or possibly match."""
    return facts_of(call, rows)

"""The matching facts, for use by other steps."""

from __future__ import annotations

from surgqa.transforms.algebra.columns.arguments import facts_of
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Many
from surgqa.transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Many:
    """All facts that certainly or possibly match."""
    return facts_of(call, rows)

"""Whether any fact matches."""

from __future__ import annotations

from surgqa.transforms.algebra.columns.arguments import facts_of
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Truth
from surgqa.transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Truth:
    """True if a fact certainly matches; false if none may match, not even in unannotated gaps."""
    found = facts_of(call, rows)
    yes = found.any(found.sure)
    may = found.any(found.sure | True)
    return Truth(yes, ~may & ~found.unlooked, found.ok)

"""``count``, ``exists``, ``peak`` and ``total`` for many rows at once, with arrays."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.arguments import (
    facts_of,
    field_of,
    members,
    pattern_of,
    reference_of,
)
from surgqa.transforms.algebra.columns.measure import most_at_once, union_length
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Many, Range, Truth, counted
from surgqa.transforms.algebra.tree import Call


def count(call: Call, rows: Rows) -> Range:
    """A range: at least the certain, certainly different matches, at most all possible matches."""
    found = facts_of(call, rows)
    field = field_of(call)
    ok = found.ok
    if field:
        sure, may = members(found, field, rows)
        if field == "track":  # two tracks may be the same instance
            sure, _ = members(found, "subject", rows)
            ok = ok & ~found.any(found.columns["track"] < 0)
        low, high = (np.bincount(part[0], minlength=rows.n) for part in (sure, may))
    else:
        group = found.columns["grp"].astype(np.int64)[found.sure] + 1
        many = int(group.max(initial=0)) + 1
        one = np.unique(found.filling[found.sure] * many + group)
        low = np.bincount(one // many, minlength=rows.n)
        high = np.bincount(found.filling, minlength=rows.n)
    return counted(found, low, high, ok)


def exists(call: Call, rows: Rows) -> Truth:
    """True if a fact certainly matches; false if none may match, not even in unannotated gaps."""
    found = facts_of(call, rows)
    yes = found.any(found.sure)
    may = found.any(found.sure | True)
    return Truth(yes, ~may & ~found.unlooked, found.ok)


def peak(call: Call, rows: Rows) -> Range:
    """A range: from the most facts that certainly hold at one instant to the most that may."""
    found, ref = facts_of(call, rows), reference_of(call, rows)
    facts = found.columns
    held = _held(call, found)
    low = most_at_once(found.filling[held], facts["s1"][held], facts["e0"][held],
                       ref.start.hi, ref.end.lo)  # fmt: skip
    high = most_at_once(found.filling, facts["s0"], facts["e1"], ref.start.lo, ref.end.hi)
    return counted(found, low, high, found.ok)


def total(call: Call, rows: Rows) -> Range:
    """A range: from the time that facts certainly hold to the time that they may hold."""
    found, ref = facts_of(call, rows), reference_of(call, rows)
    facts = found.columns
    held = _held(call, found)
    low = union_length(found.filling[held], facts["s1"][held], facts["e0"][held],
                       ref.start.hi, ref.end.lo)  # fmt: skip
    printed = union_length(found.filling[held], facts["s"][held], facts["e"][held],
                           ref.start.at, ref.end.at)  # fmt: skip
    filling = np.concatenate([found.filling, found.hole_filling])
    begin = np.concatenate([facts["x0"], found.hole_u0])
    end = np.concatenate([facts["x1"], found.hole_u1])
    high = union_length(filling, begin, end, ref.start.lo, ref.end.hi)
    return Range.of(low, np.clip(printed, low, high), high, found.ok)


def _held(call: Call, found: Many) -> np.ndarray:
    """Return bool (m,), True for facts that certainly hold within the reference."""
    return found.held if pattern_of(call).relation in ("overlaps", "at") else found.sure

"""Time relations between a fact and a stretch (the reference), such as "before" or "inside".

A fact starts in [s0, s1] and ends in [e0, e1]; the reference starts in [a0, a1] and ends in [b0,
b1]. Each relation is therefore certain, possible or impossible: its function returns two arrays,
bool (m,), where the relation is certain and where it is possible. A fact may be a part of a longer
fact that starts at x0 at the earliest and ends at x1 at the latest. Relations that name a start or
an end use the longer fact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surgqa.transforms.algebra.columns.lazy import Columns
from surgqa.transforms.algebra.columns.values import (
    Range,
    Stretch,
    is_at_most,
    lies_before,
    may_be_at_most,
    may_lie_before,
)


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Starts and ends of m facts, and of longer facts that they may be part of (``reach_…``)."""

    start: Range
    end: Range
    reach_start: Range
    reach_end: Range


def ends_of(columns: Columns) -> Ends:
    """Return the starts and ends from the columns of facts."""
    true = np.ones(len(columns["s0"]), bool)
    alone_s, alone_e = columns["x0"] == columns["s0"], columns["x1"] == columns["e1"]
    start = Range.of(columns["s0"], columns["s"], columns["s1"], true, mark=columns["s_mark"])
    end = Range.of(columns["e0"], columns["e"], columns["e1"], true, mark=columns["e_mark"])
    reach_start = Range.of(columns["x0"], columns["s"], columns["s1"], true,
                           mark=np.where(alone_s, columns["s_mark"], -1))  # fmt: skip
    reach_end = Range.of(columns["e0"], columns["e"], columns["x1"], true,
                         mark=np.where(alone_e, columns["e_mark"], -1))  # fmt: skip
    return Ends(start, end, reach_start, reach_end)


Both = tuple[np.ndarray, np.ndarray]
"""(True where certain, True where possible), bool (m,)."""


def overlaps(fact: Ends, ref: Stretch, _within: int) -> Both:
    """Return where the fact and the reference have a moment in common."""
    sure = lies_before(fact.start, ref.end) & lies_before(ref.start, fact.end)
    return sure, may_lie_before(fact.start, ref.end) & may_lie_before(ref.start, fact.end)


def throughout(fact: Ends, ref: Stretch, _within: int) -> Both:
    """Return where the fact holds during the whole reference."""
    sure = is_at_most(fact.start, ref.start) & is_at_most(ref.end, fact.end)
    may = may_be_at_most(fact.reach_start, ref.start) & may_be_at_most(ref.end, fact.reach_end)
    return sure, may


def inside(fact: Ends, ref: Stretch, _within: int) -> Both:
    """Return where the fact lies within the reference."""
    sure = is_at_most(ref.start, fact.reach_start) & is_at_most(fact.reach_end, ref.end)
    may = may_be_at_most(ref.start, fact.start) & may_be_at_most(fact.end, ref.end)
    return sure, may


def starts_in(fact: Ends, ref: Stretch, _within: int) -> Both:
    """Return where the fact starts in the reference: a <= start < b."""
    sure = is_at_most(ref.start, fact.reach_start) & lies_before(fact.start, ref.end)
    return sure, may_be_at_most(ref.start, fact.start) & may_lie_before(fact.start, ref.end)


def ends_in(fact: Ends, ref: Stretch, _within: int) -> Both:
    """Return where the fact ends inside the reference, before the reference's end: a < end < b."""
    sure = lies_before(ref.start, fact.end) & lies_before(fact.reach_end, ref.end)
    return sure, may_lie_before(ref.start, fact.end) & may_lie_before(fact.end, ref.end)


def before(fact: Ends, ref: Stretch, _within: int) -> Both:
    """Return where the fact ends before the reference begins: end <= a."""
    return is_at_most(fact.reach_end, ref.start), may_be_at_most(fact.end, ref.start)


def after(fact: Ends, ref: Stretch, _within: int) -> Both:
    """Return where the fact starts after the reference ends: start >= b."""
    return is_at_most(ref.end, fact.reach_start), may_be_at_most(ref.end, fact.start)


def meets(fact: Ends, ref: Stretch, within: int) -> Both:
    """Return where the fact's end and the reference's start are at most ``within`` apart."""
    end, start = fact.reach_end, ref.start
    one = (end.mark == start.mark) & (end.mark != -1)
    sure = one | ((start.hi - end.lo <= within) & (end.hi - start.lo <= within))
    may = one | ((start.lo - fact.end.hi <= within) & (fact.end.lo - start.hi <= within))
    return sure, may


RELATIONS: dict[str, Callable[[Ends, Stretch, int], Both]] = {
    "at": overlaps, "throughout": throughout, "inside": inside, "overlaps": overlaps,
    "starts_in": starts_in, "ends_in": ends_in, "before": before, "after": after, "meets": meets,
}  # fmt: skip
"""Relation -> function. ``at`` an instant t means *overlaps [t, t + 1 us)*."""


def reach(relation: str, ref: Stretch, within: int, far: int) -> Both:
    """Return two times (from, to), int64 (n,); a fact with the relation overlaps [from, to].

    A gap in the annotation that overlaps this stretch may hide such a fact.

    Args:
        far: larger than any time.
    """
    a0, a1, b1 = ref.start.lo, ref.start.hi, ref.end.hi
    n = len(a0)
    match relation:
        case "before":
            return np.full(n, -far), a1
        case "after":
            return ref.end.lo, np.full(n, far)
        case "meets":
            return a0 - within - 1, a1 + within + 1
        case _:
            return a0, b1


def hole_fits(relation: str, ref: Stretch, u0: np.ndarray, u1: np.ndarray) -> np.ndarray:
    """Return bool (k,), True where a fact that lies wholly inside the gap may have this relation.

    Args:
        u0, u1: int64 (k,), start and end of each gap of the annotation.
    """
    if relation == "throughout":
        return (u0 <= ref.start.hi) & (u1 >= ref.end.lo)
    return np.ones(len(u0), bool)

"""The largest number of facts that hold at the same time."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.arguments import facts_of, pattern_of, reference_of
from surgqa.transforms.algebra.columns.measure import most_at_once
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Range
from surgqa.transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Range:
    """The number lies between two bounds: the most facts that certainly hold at one instant, and
    the most that may hold at one instant.
    """
    found, ref = facts_of(call, rows), reference_of(call, rows)
    facts = found.columns
    held = found.held if pattern_of(call).relation in ("overlaps", "at") else found.sure
    low = most_at_once(found.filling[held], facts["s1"][held], facts["e0"][held],
                       ref.start.hi, ref.end.lo)  # fmt: skip
    high = most_at_once(found.filling, facts["s0"], facts["e1"], ref.start.lo, ref.end.hi)
    most = high.astype(np.float64)
    most[found.unlooked] = np.inf
    least = low.astype(np.float64)
    return Range.of(least, least, most, found.ok)

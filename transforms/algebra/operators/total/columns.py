"""The total time during which any matching fact holds."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.arguments import facts_of, pattern_of, reference_of
from surgqa.transforms.algebra.columns.measure import union_length
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Range
from surgqa.transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Range:
    """The length lies between that of the facts that certainly hold and of those that may hold."""
    found, ref = facts_of(call, rows), reference_of(call, rows)
    facts = found.columns
    held = found.held if pattern_of(call).relation in ("overlaps", "at") else found.sure
    low = union_length(found.filling[held], facts["s1"][held], facts["e0"][held],
                       ref.start.hi, ref.end.lo)  # fmt: skip
    printed = union_length(found.filling[held], facts["s"][held], facts["e"][held],
                           ref.start.at, ref.end.at)  # fmt: skip
    filling = np.concatenate([found.filling, found.hole_filling])
    begin = np.concatenate([facts["x0"], found.hole_u0])
    end = np.concatenate([facts["x1"], found.hole_u1])
    high = union_length(filling, begin, end, ref.start.lo, ref.end.hi)
    return Range.of(low, np.clip(printed, low, high), high, found.ok)

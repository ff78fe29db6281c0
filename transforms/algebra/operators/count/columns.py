"""The number of matching facts, or of different values of a field."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.arguments import facts_of, field_of, members
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Range
from surgqa.transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Range:
    """The number lies between those of certain, certainly distinct matches and of possible
    matches.
    """
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
    low, most = low.astype(np.float64), high.astype(np.float64)
    most[found.unlooked] = np.inf
    return Range.of(low, low, most, ok)

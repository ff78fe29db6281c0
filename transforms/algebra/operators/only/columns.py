"""The only matching fact."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.arguments import facts_of, picked
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import One
from surgqa.transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> One:
    """The fact that certainly matches, if no other may match, not even in unannotated gaps."""
    found = facts_of(call, rows)
    count = np.bincount(found.filling, minlength=rows.n)
    alone = found.sure & (count[found.filling] == 1) & ~found.unlooked[found.filling]
    return picked(found, alone, call)

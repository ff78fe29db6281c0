"""``argmax``, ``argmin``, ``facts``, ``first``, ``last`` and ``only`` for many rows at once."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.arguments import earliest, facts_of, picked
from surgqa.transforms.algebra.columns.best import best
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Many, One, Value
from surgqa.transforms.algebra.tree import Call


def argmax(call: Call, rows: Rows) -> Value:
    """The element whose value is certainly greater than the values of all other elements."""
    return best(call, rows, 1)


def argmin(call: Call, rows: Rows) -> Value:
    """The element whose value is certainly less than the values of all other elements."""
    return best(call, rows, -1)


def facts(call: Call, rows: Rows) -> Many:
    """All facts that certainly or possibly match."""
    return facts_of(call, rows)


def first(call: Call, rows: Rows) -> One:
    """The fact that certainly matches and certainly starts before every other possible match."""
    return earliest(call, rows, call.get("by", "start"), 1)


def last(call: Call, rows: Rows) -> One:
    """The fact that certainly matches and certainly ends after every other possible match."""
    return earliest(call, rows, call.get("by", "end"), -1)


def only(call: Call, rows: Rows) -> One:
    """The fact that certainly matches, if no other may match, not even in unannotated gaps."""
    found = facts_of(call, rows)
    count = np.bincount(found.filling, minlength=rows.n)
    alone = found.sure & (count[found.filling] == 1) & ~found.unlooked[found.filling]
    return picked(found, alone, call)

"""The different values of a field."""

from __future__ import annotations

import numpy as np

from transforms.algebra.columns.arguments import facts_of, field_of, members
from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import Group, Listed
from transforms.algebra.tree import Call, Node, Pattern


def columns(call: Call, rows: Rows) -> Group | Listed:
    """Known where every value that may be there certainly is, and nothing was overlooked."""
    main = call.get("of")
    if isinstance(main, Node) and not isinstance(main, Pattern):
        value = evaluate(main, rows)
        if isinstance(value, Group):
            return value
    found = facts_of(call, rows)
    if call.get("fields"):
        order = np.lexsort((found.columns["track"], found.columns["s"], found.filling))
        doubtful = found.any(~found.sure) | found.unlooked
        return Listed(found.take(order), tuple(call.get("fields")), found.ok & ~doubtful)
    sure, may = members(found, field_of(call) or "label", rows)
    same = np.bincount(sure[0], minlength=rows.n) == np.bincount(may[0], minlength=rows.n)
    return Group(may[0], may[1], found.ok & same & ~found.unlooked)

"""The different values of a field."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.arguments import facts_of, field_of, members
from surgqa.transforms.algebra.columns.elements import Elements, elements_of, may_be_fewer
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Group, Label, Listed
from surgqa.transforms.algebra.tree import Call, Pattern


def columns(call: Call, rows: Rows) -> Group | Listed:
    """The result is known if every possible value is certain, and no gap may hide another."""
    main = call.get("of")
    if isinstance(main, Pattern):
        found = facts_of(call, rows)
    else:
        elements = elements_of(main, rows)
        if isinstance(elements.value, Label):
            return _distinct(elements, rows)
        found = elements.facts()
    if call.get("fields"):
        track = rows.relation.codes.ranks(found.columns["track"])
        order = np.lexsort((track, found.columns["s"], found.filling))
        doubtful = found.any(~found.sure) | found.unlooked
        doubtful |= may_be_fewer(found.filling, found.columns["grp"], rows.n)
        return Listed(found.take(order), tuple(call.get("fields")), found.ok & ~doubtful)
    field = field_of(call) if isinstance(main, Pattern) else ""
    sure, may = members(found, field or "label", rows)
    same = np.bincount(sure[0], minlength=rows.n) == np.bincount(may[0], minlength=rows.n)
    return Group(may[0], may[1], found.ok & same & ~found.unlooked)


def _distinct(elements: Elements, rows: Rows) -> Group:
    """Return each label once, sorted by id."""
    assert isinstance(elements.value, Label)
    code, ranks = elements.value.code, rows.relation.codes.ranks
    found = np.unique(np.stack([elements.filling, ranks(code), code], axis=1), axis=0)
    sure = np.bincount(elements.filling[~elements.sure], minlength=rows.n) == 0
    return Group(found[:, 0], found[:, 2], elements.ok & sure)

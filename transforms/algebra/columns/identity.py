"""Whether two facts are of one instance: what a tracker's numbers do and do not say."""

from __future__ import annotations

import numpy as np

from transforms.algebra.columns.lazy import taken
from transforms.algebra.columns.values import Label, Many, One, Value
from transforms.timeline.relation.table import FactTable


def same_track(found: Many, value: Value) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(certainly, possibly) (m,) of one instance, and where that is defined (n,).

    An instance is certain inside one unbroken run.  Another run of the same class may be the
    same instrument come back, unless both are there at once.
    """
    filling, columns = found.filling, found.columns
    if isinstance(value, Label):
        same = columns["track"] == value.code[filling]
        return same, same, value.ok
    assert isinstance(value, One)
    wanted = taken(value.columns, filling)
    known = (columns["track"] >= 0) & (wanted["track"] >= 0)
    same = known & (columns["track"] == wanted["track"])
    apart = (columns["t0"] < wanted["t1"]) & (wanted["t0"] < columns["t1"])
    may = same | ((columns["subject"] == wanted["subject"]) & ~(apart & known))
    return same, may, value.ok & ~value.none


def may_be_of(facts: FactTable, row: np.ndarray, value: Value, filling: np.ndarray) -> np.ndarray:
    """bool (m,): :func:`same_track` may say of these rows that they are of the instance.

    It takes no more than the two columns that rule out most.
    """
    if isinstance(value, Label):
        return facts.track[row] == value.code[filling]
    assert isinstance(value, One)
    return (facts.track[row] == value.columns["track"][filling]) | (
        facts.subject[row] == value.columns["subject"][filling]
    )

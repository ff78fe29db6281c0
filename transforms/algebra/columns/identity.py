"""Whether two facts belong to the same instance, judged by track, class and time."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.lazy import taken
from surgqa.transforms.algebra.columns.values import Label, Many, One, Value
from surgqa.transforms.timeline.relation.table import FactTable


def same_track(found: Many, value: Value) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return whether each fact certainly, and possibly, belongs to the instance of ``value``.

    Both are bool (m,). The third result is bool (n,), True where this question has an answer.

    Two facts certainly belong to one instrument only within one unbroken track. Another track of
    the same class may be the same instrument that came back, unless both are in view at once.
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
    """Return bool (m,), True for facts that may be of the same instance as ``value``.

    This is a quick test of only two columns; :func:`same_track` decides.
    """
    if isinstance(value, Label):
        return facts.track[row] == value.code[filling]
    assert isinstance(value, One)
    return (facts.track[row] == value.columns["track"][filling]) | (
        facts.subject[row] == value.columns["subject"][filling]
    )

"""Elements in their order."""

from __future__ import annotations

import numpy as np

from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.read import read
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import Group, Label, Listed, Many, One, Range, Value
from transforms.algebra.tree import Call, Node


def columns(call: Call, rows: Rows) -> Value:
    """Known where all elements are certain, none was overlooked and no two could swap."""
    main = call.get("of")
    if isinstance(main, tuple):
        found = _together([evaluate(node, rows) for node in main])
    else:
        found = evaluate(main, rows)
    assert isinstance(found, Many)
    by, true = call.get("by"), np.ones(len(found.filling), bool)
    element = One(found.row, found.columns, true, ~true)
    if isinstance(by, Node):
        time = evaluate(by, rows.inside(found.filling, it=element))
    else:
        time = read(element, "start", None, rows)
    assert isinstance(time, Range)
    order = np.lexsort((time.hi, time.at, found.filling))
    found, low, high, mark = found.take(order), time.lo[order], time.hi[order], time.mark[order]
    swapped = _may_swap(found.filling, low, high, mark)
    bad = ~found.sure | swapped | ~time.ok[order]
    ok = found.ok & ~found.unlooked & ~found.any(bad)
    found, ok = _taken(found, ok, call.get("take"))
    return _told(found, ok, call.get("fields"), rows)


def _together(facts: list[Value]) -> Many:
    """Single facts as the facts of their fillings; there are no others."""
    ones = [one for one in facts if isinstance(one, One)]
    assert len(ones) == len(facts)
    n, k = len(ones[0].ok), len(ones)
    order = np.arange(n * k).reshape(k, n).T.reshape(-1)  # filling after filling

    def joined(parts: list[np.ndarray]) -> np.ndarray:
        return np.concatenate(parts)[order]

    columns = {name: joined([one.columns[name] for one in ones]) for name in ones[0].columns}
    sure, none = joined([one.ok & ~one.none for one in ones]), np.zeros(0, np.int64)
    return Many(np.repeat(np.arange(n), k), joined([one.row for one in ones]), columns, sure, sure,
                none, none, none, none, none, none, np.ones(n, bool))  # fmt: skip


def _may_swap(
    filling: np.ndarray, low: np.ndarray, high: np.ndarray, mark: np.ndarray
) -> np.ndarray:
    """bool (m,): the element may not come after the one before it."""
    out = np.zeros(len(filling), bool)
    same = filling[1:] == filling[:-1]
    # Ranks leave the order of times as it is and give each filling a stretch of its own.
    rank = np.unique(np.concatenate([low, high]), return_inverse=True)[1].reshape(-1)
    offset = filling * (len(rank) + 1)
    first, last = rank[: len(low)] + offset, rank[len(low) :] + offset
    latest = np.maximum.accumulate(last)[:-1] if len(last) else last
    out[1:] = same & (first[1:] <= latest)
    out[1:] |= same & (mark[1:] == mark[:-1]) & (mark[1:] != -1)
    return out


def _taken(found: Many, ok: np.ndarray, take: object) -> tuple[Many, np.ndarray]:
    """The first, or with a negative number the last, so many of each filling."""
    if not isinstance(take, int):
        return found, ok
    size = np.bincount(found.filling, minlength=found.n)
    place = np.arange(len(found.filling)) - (np.cumsum(size) - size)[found.filling]
    keep = place < take if take > 0 else place >= size[found.filling] + take
    return found.take(keep), ok


def _told(found: Many, ok: np.ndarray, fields: object, rows: Rows) -> Value:
    """Labels where one field is told that is a label, else the facts with their fields."""
    names = tuple(fields) if fields else ("label",)
    if len(names) == 1:
        true = np.ones(len(found.filling), bool)
        value = read(One(found.row, found.columns, true, ~true), names[0], None, rows)
        if isinstance(value, Label):
            return Group(found.filling, value.code, ok)
    return Listed(found, names, ok)

"""Elements in order of time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surgqa.transforms.algebra.columns.elements import Elements, elements_of, may_be_fewer
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.read import read
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import (
    Group,
    Label,
    Listed,
    One,
    Range,
    Spans,
    Stretch,
    Value,
)
from surgqa.transforms.algebra.tree import Call, Node


def columns(call: Call, rows: Rows) -> Value:
    """The result is known if all elements and their order are certain, and no gap may hide another.

    Labels without a time keep their order.
    """
    found = elements_of(call.get("of"), rows)
    time = _time(call.get("by"), found, rows)
    if time is None:
        swapped = bad = ~found.sure
    else:
        order = np.lexsort((time.hi, time.at, found.filling))
        found, low, high, mark = found.take(order), time.lo[order], time.hi[order], time.mark[order]
        swapped = _may_swap(found.filling, low, high, mark)
        bad = ~found.sure | swapped | ~time.ok[order]
    ok = found.ok & (np.bincount(found.filling[bad], minlength=rows.n) == 0)
    if isinstance(found.value, One):
        ok &= ~may_be_fewer(found.filling, found.value.columns["grp"], rows.n)
    return _reported(_taken(replace(found, ok=ok), call.get("take")), call.get("fields"), rows)


def _time(by: object, found: Elements, rows: Rows) -> Range | None:
    """Return the time that orders the elements: the time ``by``, or their own time."""
    if isinstance(by, Node):
        time = evaluate(by, rows.inside(found.filling, it=found.value))
    elif isinstance(found.value, One):
        time = read(found.value, "start", None, rows)
    elif isinstance(found.value, Stretch):
        time = found.value.start
    else:
        time = found.value
    return time if isinstance(time, Range) else None


def _may_swap(
    filling: np.ndarray, low: np.ndarray, high: np.ndarray, mark: np.ndarray
) -> np.ndarray:
    """Return bool (m,), True where an element may come before the preceding element."""
    out = np.zeros(len(filling), bool)
    same = filling[1:] == filling[:-1]
    # Ranks keep the order of times; the offset separates the fillings.
    rank = np.unique(np.concatenate([low, high]), return_inverse=True)[1].reshape(-1)
    offset = filling * (len(rank) + 1)
    first, last = rank[: len(low)] + offset, rank[len(low) :] + offset
    latest = np.maximum.accumulate(last)[:-1] if len(last) else last
    out[1:] = same & (first[1:] <= latest)
    out[1:] |= same & (mark[1:] == mark[:-1]) & (mark[1:] != -1)
    return out


def _taken(found: Elements, take: object) -> Elements:
    """Return the first ``take`` elements of each filling, or the last if ``take`` is negative."""
    if not isinstance(take, int):
        return found
    size = np.bincount(found.filling, minlength=len(found.ok))
    place = np.arange(len(found.filling)) - (np.cumsum(size) - size)[found.filling]
    return found.take(place < take if take > 0 else place >= size[found.filling] + take)


def _reported(found: Elements, fields: object, rows: Rows) -> Value:
    """Return labels if one label field is wanted, else the facts with their fields."""
    if isinstance(found.value, Range | Stretch):
        return Spans(found.filling, found.value, found.ok)
    if isinstance(found.value, Label):
        return Group(found.filling, found.value.code, found.ok)
    names = tuple(fields) if isinstance(fields, tuple) and fields else ("label",)
    if len(names) == 1:
        value = read(found.value, names[0], None, rows)
        if isinstance(value, Label):
            return Group(found.filling, value.code, found.ok)
    return Listed(found.facts(), names, found.ok)

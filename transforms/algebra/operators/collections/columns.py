"""``labels``, ``sequence`` and ``set`` for many rows at once, with arrays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surgqa.transforms.algebra.columns.arguments import facts_of, field_of, members
from surgqa.transforms.algebra.columns.domains import labels_of
from surgqa.transforms.algebra.columns.elements import Elements, elements_of, may_be_fewer
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.read import read
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.scales import rating_steps
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
from surgqa.transforms.algebra.tree import Call, Const, Node, Pattern


def labels(call: Call, rows: Rows) -> Group:
    """The labels that the annotations of this video could contain, sorted by id."""
    if not isinstance(call.get("of"), Const):
        return _of_scales(evaluate(call.get("of"), rows), rows)
    filling: list[np.ndarray] = []
    code: list[np.ndarray] = []
    for video in np.unique(rows.video).tolist():
        found = labels_of(call.get("of"), video, rows.relation)
        mine = np.flatnonzero(rows.video == video)
        filling.append(np.repeat(mine, len(found)))
        code.append(np.tile(found, len(mine)))
    if not filling:
        return Group(np.zeros(0, np.int64), np.zeros(0, np.int64), np.ones(rows.n, bool))
    who, what = np.concatenate(filling), np.concatenate(code)
    order = np.argsort(who, kind="stable")
    return Group(who[order], what[order], np.ones(rows.n, bool))


def _of_scales(label: Value, rows: Rows) -> Group:
    """Return, in each row, the words of the scale of the row's rating, from lowest to highest."""
    assert isinstance(label, Label)
    codes = rows.relation.codes
    words = {one: [codes.code(word) for word, _ in rating_steps(codes.name(one))]
             for one in np.unique(label.code[label.ok & ~label.none]).tolist()}  # fmt: skip
    found = [words.get(one, []) for one in label.code.tolist()]
    filling = np.repeat(np.arange(rows.n), [len(one) for one in found])
    code = np.array([word for one in found for word in one], np.int64)
    return Group(filling, code, label.ok & ~label.none)


def sequence(call: Call, rows: Rows) -> Value:
    """The result is known if all elements and their order are certain, and no gap may hide another.

    Labels without a time keep their order.
    """
    found = elements_of(call.get("of"), rows)
    time = _time_of(call.get("by"), found, rows)
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


def _time_of(by: object, found: Elements, rows: Rows) -> Range | None:
    """Return the times that order the elements: the expression ``by``, or their own times."""
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
    """Return bool (m,), True where an element may come before the one that is listed before it."""
    out = np.zeros(len(filling), bool)
    same = filling[1:] == filling[:-1]
    # Times are replaced by ranks plus an offset for each row, so all rows are compared at once.
    rank = np.unique(np.concatenate([low, high]), return_inverse=True)[1].reshape(-1)
    offset = filling * (len(rank) + 1)
    first, last = rank[: len(low)] + offset, rank[len(low) :] + offset
    latest = np.maximum.accumulate(last)[:-1] if len(last) else last
    out[1:] = same & (first[1:] <= latest)
    out[1:] |= same & (mark[1:] == mark[:-1]) & (mark[1:] != -1)
    return out


def _taken(found: Elements, take: object) -> Elements:
    """Return the first ``take`` elements of each row, or the last if ``take`` is negative."""
    if not isinstance(take, int):
        return found
    size = np.bincount(found.filling, minlength=len(found.ok))
    place = np.arange(len(found.filling)) - (np.cumsum(size) - size)[found.filling]
    return found.take(place < take if take > 0 else place >= size[found.filling] + take)


def _reported(found: Elements, fields: object, rows: Rows) -> Value:
    """Return the labels if ``fields`` is one label field, else the facts with these fields."""
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


def set_(call: Call, rows: Rows) -> Group | Listed:
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

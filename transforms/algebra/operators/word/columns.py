"""The word of a scale for a value."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.scales import Steps, ninth, rating_steps, steps_of
from surgqa.transforms.algebra.columns.values import Box, Label, Range
from surgqa.transforms.algebra.tree import Amount, Call, Node


def columns(call: Call, rows: Rows) -> Label:
    """The word is known if the whole range is in one step, ``clear`` away from the step's
    borders.
    """
    value, scale, clear = evaluate(call.get("of"), rows), call.get("scale"), call.get("clear")
    assert clear is None or isinstance(clear, Amount)
    if isinstance(value, Box):
        return ninth(value, clear, rows)
    assert isinstance(value, Range)
    if isinstance(scale, Node):
        return _rated(value, evaluate(scale, rows), rows)
    return in_words(value, steps_of(scale), clear, rows)


def in_words(value: Range, steps: Steps, clear: Amount | None, rows: Rows) -> Label:
    """Return the word of the step that contains the range."""
    if not steps:
        return Label(np.full(rows.n, -1, np.int64), np.zeros(rows.n, bool), value.none)
    bounds = np.array([low for _, low in steps])
    code = np.array([rows.relation.codes.code(word) for word, _ in steps], np.int64)
    low, high = (
        np.maximum(np.searchsorted(bounds, x, "right") - 1, 0) for x in (value.lo, value.hi)
    )
    ok = value.ok & (low == high)
    if clear is not None:
        inner = bounds[1:]
        gap = np.abs(value.at[:, None] - inner)
        limit = clear.low * np.maximum(np.abs(inner), 0) if clear.unit == "share" else clear.low
        ok &= (gap >= limit).all(axis=1)
    return Label(code[low], ok, value.none)


def _rated(value: Range, label: object, rows: Rows) -> Label:
    """Return the word for a rating on its own scale."""
    assert isinstance(label, Label)
    code, ok = np.full(rows.n, -1, np.int64), np.zeros(rows.n, bool)
    for one in np.unique(label.code[label.ok & ~label.none]).tolist():
        mine = (label.code == one) & label.ok
        found = in_words(value, rating_steps(rows.relation.codes.name(one)), None, rows)
        code[mine], ok[mine] = found.code[mine], found.ok[mine]
    return Label(code, ok & label.ok, value.none | label.none)

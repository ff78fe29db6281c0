"""The first of several values that is not none."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Label, One, Range, Value
from surgqa.transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Value:
    """The first value that is not certainly none. If that value is unknown, so is the result."""
    parts = [evaluate(node, rows) for node in call.get("of")]
    out = parts[0]
    for part in parts[1:]:
        out = _either(out, part)
    return out


def _either(a: Value, b: Value) -> Value:
    """Return ``a``, or ``b`` where ``a`` is certainly none."""
    if isinstance(a, Range) and isinstance(b, Range):
        pick = [np.where(a.none, getattr(b, f), getattr(a, f)) for f in Range.__slots__]
        return Range(*pick)
    if isinstance(a, Label) and isinstance(b, Label):
        return Label(*(np.where(a.none, getattr(b, f), getattr(a, f)) for f in Label.__slots__))
    assert isinstance(a, One) and isinstance(b, One)
    columns = {name: np.where(a.none, b.columns[name], a.columns[name]) for name in a.columns}
    none = np.where(a.none, b.none, a.none)
    return One(np.where(a.none, b.row, a.row), columns, np.where(a.none, b.ok, a.ok), none)

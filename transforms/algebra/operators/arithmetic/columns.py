"""Sums, differences and quotients of times, durations and numbers."""

from __future__ import annotations

import numpy as np

from surgqa.ontology.keys import h64
from surgqa.ontology.mixing import mix64
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Range
from surgqa.transforms.algebra.tree import Call, Const

SECOND_US = 1_000_000


def columns(call: Call, rows: Rows) -> Range:
    """The result is computed from the bounds of both values; an instant minus itself is
    exactly 0.
    """
    a, right = evaluate(call.get("left"), rows), call.get("right")
    assert isinstance(a, Range)
    if isinstance(right, Const) and isinstance(right.value, tuple):
        b = _drawn(right.value, a, rows)
    else:
        b = evaluate(right, rows)  # type: ignore[arg-type, assignment]
    assert isinstance(b, Range)
    ok, none = a.ok & b.ok, a.none | b.none
    match call.get("sign"):
        case "+":
            moved = np.where(np.equal(b.lo, 0) & np.equal(b.hi, 0), a.mark, -1)
            return Range.of(a.lo + b.lo, a.at + b.at, a.hi + b.hi, ok, none, moved)
        case "-":
            one = (a.mark == b.mark) & (a.mark != -1)
            low, high = (np.where(one, 0, x) for x in (a.lo - b.hi, a.hi - b.lo))
            return Range.of(low, np.where(one, 0, a.at - b.at), high, ok, none)
        case _:
            return _share(a, b, ok, none)


def _drawn(bounds: tuple[int, int], a: Range, rows: Rows) -> Range:
    """A length in whole seconds between two bounds, drawn by a hash of the video and the time."""
    low, high = (us // SECOND_US for us in bounds)
    local = a.at - rows.base
    keys = np.array([h64(one.key, *bounds) for one in rows.relation.recordings], np.uint64)
    mixed = mix64(local.astype(np.uint64) ^ keys[rows.video])
    return Range.exact((low + (mixed % np.uint64(high - low + 1)).astype(np.int64)) * SECOND_US)


def _share(a: Range, b: Range, ok: np.ndarray, none: np.ndarray) -> Range:
    """Return the quotient of non-negative values; undefined where the divisor may be 0."""
    ok = ok & (b.lo > 0)
    low, at, high = (np.where(ok, x, 0).astype(np.float64) for x in (a.lo, a.at, a.hi))
    least, whole, most = (np.where(ok, x, 1).astype(np.float64) for x in (b.lo, b.at, b.hi))
    return Range.of(low / most, at / whole, high / least, ok, none)

"""The grid-aligned stretch that certainly contains a stretch or an instant."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.select import stretch_of
from surgqa.transforms.algebra.columns.values import Range, Stretch
from surgqa.transforms.algebra.tree import Amount, Call


def columns(call: Call, rows: Rows) -> Stretch:
    """The stretch is rounded outwards to a grid that is at least as wide as the borders are
    uncertain.

    All possible borders are inside the result; ``iou`` is computed from the printed stretch.
    """
    value = evaluate(call.get("of"), rows)
    held, ok = _held(stretch_of(value), call.get("most"), call.get("opening"))
    base = rows.base
    start, end = np.zeros(rows.n, np.int64), np.zeros(rows.n, np.int64)
    found, least = np.zeros(rows.n, bool), call.get("iou")
    for grid in call.get("grid"):
        first, last = _rounded(held, int(grid.low), base)
        fits = ok & ~found & (int(grid.low) >= _slack(held))
        if isinstance(least, Amount):
            fits &= (held.end.at - held.start.at) > least.low * (last - first)
        start, end, found = np.where(fits, first, start), np.where(fits, last, end), found | fits
    return Stretch(Range.of(start, start, start, found), Range.of(end, end, end, found))


def _held(whole: Stretch, most: object, opening: object) -> tuple[Stretch, np.ndarray]:
    """Return the stretch that must be inside, and whether it is certain.

    A stretch that is too long is cut to its first part.
    """
    if not isinstance(most, Amount):
        return whole, whole.ok
    assert isinstance(opening, Amount)
    long = whole.end.lo - whole.start.hi > most.low
    short = whole.end.hi - whole.start.lo <= most.low
    moved = (getattr(whole.start, name) + int(opening.low) for name in ("lo", "at", "hi"))
    end = Range.of(*(
        np.where(long, a, getattr(whole.end, name))
        for name, a in zip(("lo", "at", "hi"), moved, strict=True)
    ), whole.end.ok)  # fmt: skip
    return Stretch(whole.start, end), whole.ok & (long | short)


def _slack(held: Stretch) -> np.ndarray:
    """Return int64 (n,), the width of the bounds of the less certain border."""
    return np.maximum(held.start.hi - held.start.lo, held.end.hi - held.end.lo)


def _rounded(held: Stretch, grid: int, base: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first, last = held.start.lo - base, held.end.hi - base
    return base + first // grid * grid, base - (-last // grid) * grid

"""A stretch cut into equal parts."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.select import stretch_of
from surgqa.transforms.algebra.columns.values import Range, Spans, Stretch
from surgqa.transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Spans:
    """The parts are equal; their borders are as uncertain as those of the whole stretch."""
    whole, n = stretch_of(evaluate(call.get("of"), rows)), int(call.get("n"))
    filling, place = np.repeat(np.arange(rows.n), n), np.tile(np.arange(n), rows.n)
    span = Stretch(_border(whole, filling, place, n), _border(whole, filling, place + 1, n))
    return Spans(filling, span, whole.ok)


def _border(whole: Stretch, filling: np.ndarray, k: np.ndarray, n: int) -> Range:
    """Return the end of part ``k`` of ``n``, computed from the bounds of the whole stretch."""
    low, at, high = (
        (a + (b - a) * k // n)
        for a, b in (
            (getattr(whole.start, name)[filling], getattr(whole.end, name)[filling])
            for name in ("lo", "at", "hi")
        )
    )
    return Range.of(low, at, high, whole.ok[filling])

"""The overlap of two boxes or stretches."""

from __future__ import annotations

import numpy as np

from surgqa.ontology.boxes import iou
from surgqa.transforms.algebra.columns.boxes import thing_at
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Range, Stretch, Truth
from surgqa.transforms.algebra.tree import Amount, Call, Node


def columns(call: Call, rows: Rows) -> Range | Truth:
    """The result is the intersection over union; with ``least``, whether it is at least
    that value.
    """
    values = [evaluate(node, rows) for node in call.get("of")]
    if all(isinstance(value, Stretch) for value in values):
        found = _of_stretches(*values)
    else:
        at = call.get("at")
        when = evaluate(at, rows) if isinstance(at, Node) else None
        a, b = (thing_at(value, when, rows) for value in values)
        number = iou(a.xyxy, b.xyxy)
        found = Range.of(number, number, number, a.ok & b.ok, a.none | b.none)
    least = call.get("least")
    if not isinstance(least, Amount):
        return found
    return Truth(found.lo >= least.low, found.hi < least.low, found.ok)


def _of_stretches(a: Stretch, b: Stretch) -> Range:
    def share(a0: np.ndarray, a1: np.ndarray, b0: np.ndarray, b1: np.ndarray) -> np.ndarray:
        both = np.maximum(np.minimum(a1, b1) - np.maximum(a0, b0), 0)
        return both / np.maximum((a1 - a0) + (b1 - b0) - both, 1)

    at = share(a.start.at, a.end.at, b.start.at, b.end.at)
    both_low = np.maximum(np.minimum(a.end.lo, b.end.lo) - np.maximum(a.start.hi, b.start.hi), 0)
    whole_high = np.maximum(a.end.hi, b.end.hi) - np.minimum(a.start.lo, b.start.lo)
    both_high = np.maximum(np.minimum(a.end.hi, b.end.hi) - np.maximum(a.start.lo, b.start.lo), 0)
    whole_low = np.maximum(a.end.lo, b.end.lo) - np.minimum(a.start.hi, b.start.hi)
    low = both_low / np.maximum(whole_high, 1)
    high = np.minimum(both_high / np.maximum(whole_low, 1), 1)
    return Range.of(low, at, high, a.ok & b.ok)

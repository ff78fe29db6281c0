"""``box``, ``distance``, ``iou`` and ``motion`` for many rows at once, with arrays."""

from __future__ import annotations

import numpy as np

from surgqa.ontology.boxes import iou as iou_of_boxes
from surgqa.transforms.algebra.columns.boxes import box_at, start_of, thing_at, track_samples
from surgqa.transforms.algebra.columns.elements import Elements, elements_of
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.select import stretch_of
from surgqa.transforms.algebra.columns.values import (
    Box,
    One,
    Range,
    Record,
    Stretch,
    Truth,
    gathered,
)
from surgqa.transforms.algebra.tree import Amount, Call, Node


def box(call: Call, rows: Rows) -> Box:
    """The annotated box at exactly that instant; unknown between annotated instants."""
    fact = evaluate(call.get("of"), rows)
    assert isinstance(fact, One)
    at = call.get("at")
    when = evaluate(at, rows) if isinstance(at, Node) else start_of(fact)
    assert isinstance(when, Range)
    return box_at(fact, when, rows)


def distance(call: Call, rows: Rows) -> Range:
    """Distance of the box centres; x and y are fractions of the frame's width and height."""
    at = call.get("at")
    when = evaluate(at, rows) if isinstance(at, Node) else None
    a, b = (thing_at(evaluate(node, rows), when, rows) for node in call.get("of"))
    d = np.sqrt(((a.centre - b.centre) ** 2).sum(axis=1))
    return Range.of(d, d, d, a.ok & b.ok, a.none | b.none)


def iou(call: Call, rows: Rows) -> Range | Truth:
    """The intersection over union; with ``least``, whether it is at least that value."""
    values = [evaluate(node, rows) for node in call.get("of")]
    if all(isinstance(value, Stretch) for value in values):
        found = _of_stretches(*values)
    else:
        at = call.get("at")
        when = evaluate(at, rows) if isinstance(at, Node) else None
        a, b = (thing_at(value, when, rows) for value in values)
        number = iou_of_boxes(a.xyxy, b.xyxy)
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


SECOND_US = 1_000_000


def motion(call: Call, rows: Rows) -> Record:
    """Path and speeds are computed from the boxes of all given stretches. They are unknown if an
    annotated instant in a stretch has no box.

    A stretch that the template states includes the box at its end. The stretch of a fact does
    not, because the fact no longer holds at its end.
    """
    fact, pieces = evaluate(call.get("of"), rows), _pieces(call.get("over"), rows)
    over, last = stretch_of(pieces.value), int(isinstance(pieces.value, One))
    assert isinstance(fact, One)
    inside = rows.inside(pieces.filling)
    mine = gathered(fact, pieces.filling)
    assert isinstance(mine, One)
    low, high = over.start.hi, over.end.lo - last
    piece, row = track_samples(mine, low, high, inside)
    count = np.bincount(piece, minlength=inside.n)
    wanted = _instants(over.start.lo, over.end.hi - last, inside)
    whole = (count == _instants(low, high, inside)) & (count == wanted) & over.ok & pieces.sure
    boxes, times = rows.relation.samples["box"][row], rows.relation.samples["t"][row]
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    step = piece[1:] == piece[:-1]
    length = np.sqrt((np.diff(centre, axis=0) ** 2).sum(axis=1))[step]
    seconds = np.diff(times)[step] / SECOND_US
    who = pieces.filling[piece[1:][step]]
    complete = np.bincount(pieces.filling[~whole], minlength=rows.n) == 0
    samples = np.bincount(pieces.filling[piece], minlength=rows.n)
    moved = np.bincount(who, minlength=rows.n) > 0
    ok = pieces.ok & fact.ok & complete & moved
    return Record(_numbers(who, length, seconds, samples, ok, fact.none))


def _pieces(over: Node, rows: Rows) -> Elements:
    """Return the stretches to measure, one or several for each row."""
    if over.type.name in ("facts", "stretches"):
        return elements_of(over, rows)
    value, true = evaluate(over, rows), np.ones(rows.n, bool)
    assert isinstance(value, One | Stretch)
    return Elements(np.arange(rows.n), value, true, true)


def _numbers(
    who: np.ndarray, length: np.ndarray, seconds: np.ndarray, count: np.ndarray, ok: np.ndarray,
    none: np.ndarray,
) -> dict[str, Range]:  # fmt: skip
    n = len(count)
    path, time = (np.bincount(who, weights=x, minlength=n) for x in (length, seconds))
    speed = length / np.maximum(seconds, 1e-9)
    slowest, fastest = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(slowest, who, speed)
    np.maximum.at(fastest, who, speed)
    found = {
        "path": path, "mean_speed": path / np.maximum(time, 1e-9), "min_speed": slowest,
        "max_speed": fastest, "samples": count.astype(np.float64),
    }  # fmt: skip
    return {name: Range.of(x, x, x, ok, none) for name, x in found.items()}


def _instants(low: np.ndarray, high: np.ndarray, rows: Rows) -> np.ndarray:
    """Return int64 (n,), the number of annotated instants in [low, high]."""
    every = rows.relation.instants
    grid = np.concatenate([every[v] for v in sorted(every)]) if every else np.zeros(0, np.int64)
    return np.searchsorted(grid, high, "right") - np.searchsorted(grid, low, "left")

"""How a track moves."""

from __future__ import annotations

import numpy as np

from transforms.algebra.columns.boxes import track_samples
from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.select import stretch_of
from transforms.algebra.columns.values import One, Range, Record
from transforms.algebra.tree import Call

SECOND_US = 1_000_000


def columns(call: Call, rows: Rows) -> Record:
    """Path and speeds over the samples of a stretch; each annotated instant must have its box.

    A chosen stretch has both its ends; a fact no longer holds at its own end.
    """
    fact, time = evaluate(call.get("of"), rows), evaluate(call.get("over"), rows)
    over, last = stretch_of(time), int(isinstance(time, One))
    assert isinstance(fact, One)
    low, high = over.start.hi, over.end.lo - last
    filling, row = track_samples(fact, low, high, rows)
    count = np.bincount(filling, minlength=rows.n)
    wanted = _instants(over.start.lo, over.end.hi - last, rows)
    complete = (count == _instants(low, high, rows)) & (count == wanted)
    boxes, times = rows.relation.samples["box"][row], rows.relation.samples["t"][row]
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    step = filling[1:] == filling[:-1]
    length = np.sqrt((np.diff(centre, axis=0) ** 2).sum(axis=1))[step]
    seconds = np.diff(times)[step] / SECOND_US
    who = filling[1:][step]
    ok = over.ok & fact.ok & complete & (count >= 2)
    return Record(_numbers(who, length, seconds, count, ok, fact.none))


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
    """int64 (n,): annotated instants in [low, high]."""
    every = rows.relation.instants
    grid = np.concatenate([every[v] for v in sorted(every)]) if every else np.zeros(0, np.int64)
    return np.searchsorted(grid, high, "right") - np.searchsorted(grid, low, "left")

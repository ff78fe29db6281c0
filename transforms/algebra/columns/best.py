"""The element with the greatest or least value, such as the longest phase, if it is certain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surgqa.transforms.algebra.columns.arguments import picked
from surgqa.transforms.algebra.columns.boxes import start_of
from surgqa.transforms.algebra.columns.elements import Elements, chosen, elements_of
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Many, One, Range, Value
from surgqa.transforms.algebra.tree import Amount, Call


def best(call: Call, rows: Rows, sign: int) -> Value:
    """Return, for each row, the element with certainly the greatest or the least value.

    The operator's argument ``by`` is the value. No element is returned if the printed value of the
    next element is less than the argument ``lead`` away.

    Args:
        sign: 1 for the greatest, -1 for the least.
    """
    main = call.get("of")
    found = elements_of(main, rows)
    alias = str(call.get("as", "it"))
    by = evaluate(call.get("by"), rows.inside(found.filling, **{alias: found.value}))
    assert isinstance(by, Range)
    which, ok = _winners(found, by, sign, call.get("lead"), call.get("same"))
    facts = None if isinstance(main, tuple) else evaluate(main, rows)
    if isinstance(facts, Many):
        one = picked(facts, which & ok[found.filling], call)
        return replace(one, ok=one.ok & ok)
    return chosen(found, which, ok)


def _winners(
    found: Elements, by: Range, sign: int, lead: object, same: object
) -> tuple[np.ndarray, np.ndarray]:
    """Return the best element of each row, bool (m,), and whether it is certainly best, bool (n,).

    The best element has the greatest lower bound (for ``sign`` -1, the least upper bound).
    """
    filling, n = found.filling, len(found.ok)
    low, high = (by.lo, by.hi) if sign > 0 else (-by.hi, -by.lo)
    low, high, at = (x.astype(np.float64) for x in (low, high, sign * by.at))
    high, at = np.where(by.ok, high, np.inf), np.where(by.ok, at, 0)
    worst = np.where(found.sure & by.ok, low, -np.inf)
    leader = _first_greatest(filling, worst, n)
    top_low, top_at = np.full(n, -np.inf), np.full(n, -np.inf)
    top_low[filling[leader]], top_at[filling[leader]] = worst[leader], at[leader]
    near = _near(found, leader, same)
    rest_high, rest_at = np.full(n, -np.inf), np.full(n, -np.inf)
    rest = ~leader & ~near
    np.maximum.at(rest_high, filling[rest], high[rest])
    np.maximum.at(rest_at, filling[rest], at[rest])
    above = near & (high > top_low[filling])
    undefined = np.bincount(filling[~by.ok | above], minlength=n) > 0
    certain = found.ok & ~undefined & (top_low > rest_high) & (top_low > -np.inf)
    return leader, certain & _leads(top_at, rest_at, lead)


def _first_greatest(filling: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    """Return bool (m,), True for the greatest value of each row, the first if several are equal.

    Args:
        filling: int64 (m,), ascending, the row that each value belongs to.
        value: the values.
        n: number of rows.
    """
    top = np.full(n, -np.inf)
    np.maximum.at(top, filling, value)
    place = np.flatnonzero(value == top[filling])
    first = np.unique(filling[place], return_index=True)[1]
    out = np.zeros(len(filling), bool)
    out[place[first]] = True
    return out


def _near(found: Elements, leader: np.ndarray, same: object) -> np.ndarray:
    """Return bool (m,), True for elements that start within the time ``same`` of the leader.

    Such an element and the leader count as one.
    """
    out = np.zeros(len(leader), bool)
    if not isinstance(same, Amount) or not isinstance(found.value, One):
        return out
    start = start_of(found.value)
    first, latest = np.zeros(len(found.ok), np.int64), np.zeros(len(found.ok), np.int64)
    first[found.filling[leader]] = start.lo[leader]
    latest[found.filling[leader]] = start.hi[leader]
    gap = start.hi - first[found.filling]
    return ~leader & (gap <= same.low) & (start.lo > latest[found.filling])


def _leads(top: np.ndarray, rest: np.ndarray, lead: object) -> np.ndarray:
    """Return where ``top`` exceeds ``rest`` by ``lead`` (a share of the larger, or a number)."""
    if lead is None:
        return np.ones(len(top), bool)
    assert isinstance(lead, Amount)
    alone = np.isneginf(rest)
    gap = np.where(alone, np.inf, top - np.where(alone, 0, rest))
    scale = np.maximum(np.abs(top), np.where(alone, 0, np.abs(rest)))
    finite = np.where(np.isfinite(scale), scale, 0)
    return gap >= (lead.low * finite if lead.unit == "share" else lead.low)

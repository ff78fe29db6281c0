"""Superlatives: the element with the greatest or least value, where that is certain."""

from __future__ import annotations

import numpy as np

from transforms.algebra.columns.arguments import picked
from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import Group, Label, Many, One, Range, Value
from transforms.algebra.tree import Amount, Call


def best(call: Call, rows: Rows, sign: int) -> Value:
    """The element whose ``by`` is certainly above all others', by the ``lead`` as printed.

    Args:
        sign: 1 for the greatest, -1 for the least.
    """
    main = call.get("of")
    found = evaluate(main, rows)
    alias = str(call.get("as", "it"))
    if isinstance(found, Many):
        true = np.ones(len(found.filling), bool)
        element: Value = One(found.row, found.columns, true, ~true)
        sure = found.sure
        ok = found.ok & ~found.unlooked
    elif isinstance(found, Group):
        element, ok = Label.known(found.code), found.ok
        sure = np.ones(len(found.filling), bool)
    else:
        raise TypeError(f"no elements to compare: {type(found).__name__}")
    by = evaluate(call.get("by"), rows.inside(found.filling, **{alias: element}))
    assert isinstance(by, Range)
    chosen, ok = _winners(found.filling, by, sure, ok, sign, call.get("lead"), rows.n)
    if isinstance(found, Many):
        one = picked(found, chosen & ok[found.filling], call)
        return One(one.row, one.columns, one.ok & ok, one.none)
    code = np.full(rows.n, -1, np.int64)
    code[found.filling[chosen]] = found.code[chosen]
    return Label(code, ok & (code >= 0), np.zeros(rows.n, bool))


def _winners(
    filling: np.ndarray,
    by: Range,
    sure: np.ndarray,
    ok: np.ndarray,
    sign: int,
    lead: object,
    n: int,
) -> tuple[np.ndarray, np.ndarray]:
    """(bool (m,) the one that leads as far as is known, bool (n,) where that is certain)."""
    low, high = (by.lo, by.hi) if sign > 0 else (-by.hi, -by.lo)
    at = sign * by.at
    low, high, at = (x.astype(np.float64) for x in (low, high, at))
    high, at = np.where(by.ok, high, np.inf), np.where(by.ok, at, 0)
    worst = np.where(sure & by.ok, low, -np.inf)
    order = np.lexsort((worst, filling))
    last = (
        np.flatnonzero(np.append(filling[order][1:] != filling[order][:-1], True))
        if len(order)
        else order
    )
    leader = np.zeros(len(filling), bool)
    leader[order[last]] = True
    top_low, top_at = np.full(n, -np.inf), np.full(n, -np.inf)
    top_low[filling[leader]], top_at[filling[leader]] = worst[leader], at[leader]
    rest_high, rest_at = np.full(n, -np.inf), np.full(n, -np.inf)
    np.maximum.at(rest_high, filling[~leader], high[~leader])
    np.maximum.at(rest_at, filling[~leader], at[~leader])
    undefined = np.bincount(filling[~by.ok], minlength=n) > 0
    certain = ok & ~undefined & (top_low > rest_high) & (top_low > -np.inf)
    return leader, certain & _leads(top_at, rest_at, lead)


def _leads(top: np.ndarray, rest: np.ndarray, lead: object) -> np.ndarray:
    """The printed values are as far apart as is asked: a share of the greater, or absolute."""
    if lead is None:
        return np.ones(len(top), bool)
    assert isinstance(lead, Amount)
    alone = np.isneginf(rest)
    gap = np.where(alone, np.inf, top - np.where(alone, 0, rest))
    scale = np.maximum(np.abs(top), np.where(alone, 0, np.abs(rest)))
    finite = np.where(np.isfinite(scale), scale, 0)
    return gap >= (lead.low * finite if lead.unit == "share" else lead.low)

"""Facts that differ only in what a question does not ask for, as one."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from transforms.timeline.relation.draft import CLASS_KEY, grouped
from transforms.timeline.relation.table import CODES, NONE, FactTable

WITHIN = ("video", "kind")


def merged(facts: FactTable, keys: tuple[str, ...], gap: int = 0) -> FactTable:
    """Facts that are equal in these fields and touch, as one each (gaps and islands).

    They touch if they certainly share a moment, share a border, or if one ends in the stretch
    between two neighbouring labels in which the other begins and both are equal in all but the
    instance: between two labels that agree nothing changes.  With ``gap`` they may lie so far
    apart, by all that is known.

    Args:
        keys: names of columns; the others become null unless all parts agree.
    """
    if not len(facts):
        return facts
    names = (*WITHIN, *keys)
    columns = np.stack([getattr(facts, name) for name in names], axis=1)
    key = np.unique(columns, axis=0, return_inverse=True)[1].reshape(-1)
    order = np.lexsort((facts.e1, facts.s, key))
    island = _islands(facts.take(order), key[order], gap)
    return grouped(_joined(facts.take(order), island).by_start())


def _islands(facts: FactTable, key: np.ndarray, gap: int) -> np.ndarray:
    """int64 (N,), ascending: which island a fact belongs to; facts sorted by key and start."""
    out = np.zeros(len(facts), np.int64)
    alike = list(zip(*(getattr(facts, name).tolist() for name in CLASS_KEY), strict=True))
    near = (facts.s_gap != NONE) & (facts.s != facts.s1)
    until, borders, island = 0, set[object](), -1
    for i, (mark, between) in enumerate(zip(facts.s_mark.tolist(), facts.s_gap.tolist(),
                                            strict=True)):  # fmt: skip
        touches = (
            (mark != NONE and mark in borders)
            or (near[i] and (between, alike[i]) in borders)
            or facts.s1[i] <= until + gap
        )
        if i == 0 or key[i] != key[i - 1] or not touches:
            island += 1
            until, borders = int(facts.e0[i]), set()
        until = max(until, int(facts.e0[i]))
        borders |= {int(facts.e_mark[i]), (int(facts.e_gap[i]), alike[i])}
        out[i] = island
    return out


def _joined(facts: FactTable, island: np.ndarray) -> FactTable:
    """One fact for each island: from its first border to its last."""
    first = np.flatnonzero(np.concatenate([[True], np.diff(island) > 0]))
    begins = np.lexsort((facts.s0, facts.s1, island))
    begins = begins[np.searchsorted(island[begins], np.arange(len(first)))]
    ends = np.lexsort((-facts.e1, -facts.e0, island))
    ends = ends[np.searchsorted(island[ends], np.arange(len(first)))]
    columns = {f.name: getattr(facts, f.name)[begins] for f in fields(FactTable)}
    for name in ("e0", "e", "e1", "e_mark", "e_gap"):
        columns[name] = getattr(facts, name)[ends]
    columns["x0"], columns["x1"] = columns["s0"], columns["e1"]
    columns["sure"] = np.minimum.reduceat(facts.sure, first)
    for name in CODES:
        column = getattr(facts, name)
        agree = np.minimum.reduceat(column, first) == np.maximum.reduceat(column, first)
        columns[name] = np.where(agree, columns[name], NONE).astype(np.int32)
    return FactTable(**columns)

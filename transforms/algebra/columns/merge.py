"""Merging of facts: "in view" of two graspers becomes one fact if only the class is asked for."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from surgqa.transforms.timeline.relation.draft import CLASS_KEY, numbered, reaching, roots, union
from surgqa.transforms.timeline.relation.table import (
    CODES,
    INFINITE,
    NONE,
    Codes,
    FactTable,
    HoleTable,
)

WITHIN = ("video", "kind")

IMPLIED = ("subject",)
"""Fields that follow from a track: its class is kept whenever the track is kept."""


def merged(
    facts: FactTable, keys: tuple[str, ...], gap: int, holes: HoleTable, codes: Codes
) -> FactTable:
    """Merge facts that touch and are equal in the columns ``keys``. A merged fact is an *island*.

    Two facts touch if they certainly share a moment or a border, or are certainly at most ``gap``
    apart. They also touch if one ends and the other starts between the same two annotated frames,
    and both frames show the same: nothing changes between two frames that agree.

    Args:
        keys: names of columns. All other columns become null, except the class of an instance.
        holes: times that nobody annotated. A fact that was overlooked there may join two facts.
    """
    if not len(facts):
        return facts
    key = numbered(facts, (*WITHIN, *keys))
    order = np.lexsort((facts.e1, facts.s, key))
    island = _islands(facts.take(order), key[order], gap)
    whole = _joined(facts.take(order), island, keys)
    alike = numbered(whole, (*WITHIN, *("subject" if name == "track" else name for name in keys)))
    return reaching(*_may_join(whole, alike, keys, gap, holes)).by_start(codes)


def _may_join(
    facts: FactTable, key: np.ndarray, keys: tuple[str, ...], gap: int, holes: HoleTable
) -> tuple[FactTable, np.ndarray]:
    """Return merged facts (islands) extended into nearby gaps, and each island's group, int64 (K,).

    The islands of a group may be one fact: they may touch and belong to one instance. The group's
    number is the index of its first island.
    """
    facts = _into_holes(facts, keys, gap, holes)
    parent = np.arange(len(facts))
    e1 = facts.e1.copy()
    order = np.lexsort((facts.s0, key)).tolist()
    first, last, there, gone = (getattr(facts, n).tolist() for n in ("s0", "e1", "t0", "t1"))
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
            if key[j] != key[i] or first[j] > last[i] + gap:
                break
            if not (there[i] < gone[j] and there[j] < gone[i]) or facts.track[i] == facts.track[j]:
                union(parent, i, j)
                e1[i] = max(e1[i], facts.s1[j])  # the time between the two belongs to both islands
    return replace(facts, e1=e1), roots(parent)


def _into_holes(facts: FactTable, keys: tuple[str, ...], gap: int, holes: HoleTable) -> FactTable:
    """Return facts extended into unannotated gaps that they may touch.

    A gap may hide a fact that continues or precedes the given fact.
    """
    s0, e1 = facts.s0.copy(), facts.e1.copy()
    of_class = "track" in keys or "subject" in keys
    subject = facts.subject if of_class else np.full(len(facts), NONE, np.int32)
    for kind, one in np.unique(np.stack([facts.kind, subject], axis=1), axis=0).tolist():
        mine = (facts.kind == kind) & (subject == one)
        near = holes.kind == kind
        near &= (holes.subject == NONE) | (holes.subject == one) | (not of_class)
        u0, u1 = holes.u0[near], holes.u1[near]
        e1[mine] = _reach(e1[mine], u0 - gap, u1)
        s0[mine] = -_reach(-s0[mine], -u1 - gap, -u0)
    return replace(facts, s0=s0, e1=e1)


def _reach(ends: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """Return int64 (N,), ``ends``, each moved to the end of the overlapping stretches around it.

    Args:
        starts, stops: int64 (K,), starts and ends of the stretches, in any order.
    """
    if not len(starts):
        return ends
    order = np.argsort(starts, kind="stable")
    starts, top = starts[order], np.maximum.accumulate(stops[order])
    last = np.append(np.flatnonzero(starts[1:] > top[:-1]), len(starts) - 1)
    chained = top[last[np.searchsorted(last, np.arange(len(starts)))]]
    k = np.searchsorted(starts, ends, side="right") - 1
    return np.where(k >= 0, np.maximum(ends, chained[k]), ends)


def bridged(holes: HoleTable, keys: tuple[str, ...], gap: int) -> HoleTable:
    """Return the unannotated gaps; two become one if one merged fact may lie in both."""
    of_class = "track" in keys or "subject" in keys
    subject = holes.subject if of_class else np.full(len(holes), NONE, np.int32)
    order = np.lexsort((holes.u0, holes.label, subject, holes.kind, holes.video))
    rows: list[list[int]] = []
    columns = (holes.video, holes.kind, holes.label, subject, holes.u0, holes.u1, holes.floor)
    for row in np.stack(columns, axis=1)[order].tolist():
        if rows and rows[-1][:4] == row[:4] and row[4] <= rows[-1][5] + gap:
            rows[-1][5] = max(rows[-1][5], row[5])
            rows[-1][6] = INFINITE
        else:
            rows.append(row)
    return HoleTable.of(tuple(row) for row in rows)  # type: ignore[misc]


def _islands(facts: FactTable, key: np.ndarray, gap: int) -> np.ndarray:
    """Return int64 (N,), ascending, the number of the island (merged fact) of each fact.

    ``facts`` are sorted by ``key`` and start.
    """
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


def _joined(facts: FactTable, island: np.ndarray, keys: tuple[str, ...]) -> FactTable:
    """Return one fact for each island (facts to merge): from first start to last end."""
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
    columns["t0"] = np.minimum.reduceat(facts.t0, first)
    columns["t1"] = np.maximum.reduceat(facts.t1, first)
    kept = {*keys, *WITHIN, *(IMPLIED if "track" in keys else ())}
    for name in CODES:
        if name not in kept:
            columns[name] = np.full(len(first), NONE, np.int32)
    if "track" not in keys:
        columns["t0"], columns["t1"] = np.zeros(len(first), np.int64), np.full(len(first), NONE)
    return FactTable(**columns)

"""Boxes of instruments and structures at the times at which somebody annotated them."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Box, One, Range, Value
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.table import FactTable, region_track


def box_at(fact: One, at: Range, rows: Rows) -> Box:
    """Return the annotated box of an instance at a time; unknown between annotated times.

    Args:
        at: the times; no box is known where a time has different lower and upper bounds.
    """
    place, found = _place(sampled_track(fact, rows), at.at, rows)
    boxes = rows.relation.samples["box"]
    xyxy = boxes[place] if len(boxes) else np.full((rows.n, 4), np.nan)
    known = found & (at.lo == at.hi) & fact.ok & at.ok
    return Box(np.where(known[:, None], xyxy, np.nan), known, fact.none | at.none)


def sampled_track(fact: One, rows: Rows) -> np.ndarray:
    """Return int64 (n,), the code under which a fact's boxes are stored: its track or its class."""
    track = fact.columns["track"].astype(np.int64)
    codes, alone = rows.relation.codes, np.flatnonzero(track < 0)
    pairs = np.stack([fact.columns["kind"][alone], fact.columns["label"][alone]], axis=1)
    found, inverse = np.unique(pairs, axis=0, return_inverse=True)
    known = [codes.known(region_track(codes.name(k), codes.name(one))) for k, one in found.tolist()]
    track[alone] = np.array(known, np.int64)[inverse.reshape(-1)]
    return track


def _place(track: np.ndarray, at: np.ndarray, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Return the row of the box of each (track, time) pair, and whether there is such a box."""
    samples = rows.relation.samples
    tracks, times = samples["track"].astype(np.int64), samples["t"]
    if not len(times):
        return np.zeros(len(at), np.int64), np.zeros(len(at), bool)
    row = np.minimum(_first_from(track, at, rows.relation), len(times) - 1)
    return row, (tracks[row] == track) & (times[row] == at) & (track >= 0)


def _first_from(track: np.ndarray, at: np.ndarray, relation: Relation) -> np.ndarray:
    """Return int64 (n,), the row of each track's first box at or after a time.

    If the track has no such box, the result is the first row of the next track. Boxes are sorted by
    track and time, which are combined to one key, so that one search is enough.
    """
    tracks, times = relation.samples["track"].astype(np.int64), relation.samples["t"]
    every = relation.once("sampled times", lambda: np.unique(times))
    width = len(every) + 1
    keys = relation.once("sampled keys", lambda: tracks * width + np.searchsorted(every, times))
    return np.searchsorted(keys, track * width + np.searchsorted(every, at))


def samples_as_facts(rows: Rows) -> FactTable:
    """Return every box as a fact of one microsecond, sorted by start."""
    samples = rows.relation.samples
    facts = rows.relation.facts
    there = facts.take(facts.track >= 0)
    mine = np.isin(samples["track"], there.track)
    t, track = samples["t"][mine], samples["track"][mine]
    order = np.argsort(there.track, kind="stable")
    place = order[np.minimum(np.searchsorted(there.track[order], track), max(len(order) - 1, 0))]
    label = there.subject[place] if len(place) else track
    table = FactTable.of({
        "video": (t >> 42).astype(np.int32), "kind": rows.relation.codes.code("sample"),
        "label": label, "subject": label, "track": track,
        **dict.fromkeys(("s0", "s", "s1", "x0", "t0"), t),
        **dict.fromkeys(("e0", "e", "e1", "x1", "t1"), t + 1),
        "grp": np.arange(len(t)), "proof": -1,
    }, len(t))  # fmt: skip
    return table.by_start(rows.relation.codes)


def thing_at(value: Value, at: Range | None, rows: Rows) -> Box:
    """Return the box of a fact at a time; a value that is a box or a point is returned as it is."""
    if isinstance(value, Box):
        return value
    assert isinstance(value, One)
    return box_at(value, at if at is not None else start_of(value), rows)


def start_of(fact: One) -> Range:
    """Return the start of each fact."""
    at = fact.columns
    return Range.of(at["x0"], at["s"], at["s1"], fact.ok, fact.none)


def track_samples(
    fact: One, low: np.ndarray, high: np.ndarray, rows: Rows
) -> tuple[np.ndarray, np.ndarray]:
    """Return (row of the instance, row of the box) of all boxes within [low, high], ascending.

    Args:
        low, high: int64 (n,), both inclusive.
    """
    track = sampled_track(fact, rows)
    first = _first_from(track, low, rows.relation)
    last = _first_from(track, high + 1, rows.relation)
    count = np.where(track >= 0, np.maximum(last - first, 0), 0)
    filling = np.repeat(np.arange(rows.n), count)
    row = np.arange(len(filling)) - np.repeat(np.cumsum(count) - count, count)
    return filling, row + np.repeat(first, count)


__all__ = ["box_at", "samples_as_facts", "start_of", "thing_at", "track_samples"]

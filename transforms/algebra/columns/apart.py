"""Words that tell an instrument from another one of its class: "the grasper on the left"."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import One
from surgqa.transforms.algebra.tree import Node
from surgqa.transforms.algebra.walk import prints
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.table import FactTable

UNNAMEABLE = "unnameable"
"""Rejection reason: nothing visible distinguishes the instance from others of its class."""

APART = 0.10
"""Least distance of box centres, as a fraction of the frame's width, for naming a side."""

TrackWords = dict[str, str]
"""Track -> words such as " on the left"; '' if no other track has the same class."""


def instances_in(texts: object) -> list[Node]:
    """Return the expressions whose instrument or structure is named in ``texts``, each once."""
    named = (piece.node for piece in prints(texts) if piece.filter in ("the", "name"))
    return [*dict.fromkeys(node for node in named if node.type.name in ("fact", "track"))]


def nameable(node: Node, rows: Rows) -> np.ndarray:
    """Return bool (n,), True where words can tell the instance from others of ``node``'s class."""
    value = evaluate(node, rows)
    if not isinstance(value, One):
        return np.ones(rows.n, bool)
    window, track = rows.stretch("window"), value.columns["track"]
    places = np.stack([rows.video, window.start.at, window.end.at, track], axis=1, dtype=np.int64)
    known = np.flatnonzero(track >= 0)  # facts without a track need no distinction
    # Rows of one window are adjacent; within a window, so are the rows of one instance.
    first, of = runs(places[known])
    windows, within = runs(places[known[first], :3])
    apart = [
        _track_words(rows.relation, *place) for place in places[known[first[windows]], :3].tolist()
    ]
    name = rows.relation.codes.name
    tracks = track[known[first]].tolist()
    named = [name(code) in apart[k] for code, k in zip(tracks, within.tolist(), strict=True)]
    out = np.ones(rows.n, bool)
    out[known] = np.array(named, bool)[of]
    return out


def runs(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (first row of each run of equal rows, run index of each row) of a table (n, k)."""
    begins = np.ones(len(table), bool)
    begins[1:] = (table[1:] != table[:-1]).any(axis=1)
    return np.flatnonzero(begins), np.cumsum(begins) - 1


def track_words(units: Rows) -> list[TrackWords]:
    """Return, for each row of ``units``, the words that tell its tracks apart.

    Only the time window of the row counts. Two tracks are told apart if both have the same class
    and one is always to the left of the other. A track for which this fails is left out.
    """
    window, relation = units.stretch("window"), units.relation
    bounds = zip(units.video.tolist(), window.start.at.tolist(), window.end.at.tolist(),
                 strict=True)  # fmt: skip
    return [_track_words(relation, *one) for one in bounds]


def _track_words(relation: Relation, *window: int) -> TrackWords:
    return relation.once(("told apart", *window), lambda: _of_window(relation, *window))


def _instruments(relation: Relation) -> FactTable:
    facts = relation.facts
    return facts.take(facts.kind == relation.codes.known("instrument"))


def _of_window(relation: Relation, video: int, start: int, end: int) -> TrackWords:
    facts = relation.once("instruments", lambda: _instruments(relation))
    here = (facts.video == video) & (facts.s0 < end) & (facts.e1 > start)
    classes: dict[int, set[int]] = defaultdict(set)
    for subject, track in zip(
        facts.subject[here].tolist(), facts.track[here].tolist(), strict=True
    ):
        classes[subject].add(track)
    out: TrackWords = {}
    for tracks in classes.values():
        for track in sorted(tracks):
            how = "" if len(tracks) == 1 else _side(relation, track, tracks - {track}, start, end)
            if how is not None:
                out[relation.codes.name(track)] = how
    return out


def _side(relation: Relation, track: int, others: set[int], start: int, end: int) -> str | None:
    mine = _reach(relation, track, start, end)
    rest = [_reach(relation, other, start, end) for other in sorted(others)]
    if mine is None or any(one is None for one in rest):
        return None
    if all(mine[1] + APART < one[0] for one in rest):
        return " on the left"
    if all(one[1] + APART < mine[0] for one in rest):
        return " on the right"
    return None


def _reach(relation: Relation, track: int, start: int, end: int) -> tuple[float, float] | None:
    """Return (leftmost, rightmost) box centre of a track within the window; None without a box."""
    samples = relation.samples
    low, high = np.searchsorted(samples["track"], [track, track + 1])
    inside = (samples["t"][low:high] >= start) & (samples["t"][low:high] < end)
    boxes = samples["box"][low:high][inside]
    if not len(boxes):
        return None
    x = (boxes[:, 0] + boxes[:, 2]) / 2
    return float(x.min()), float(x.max())

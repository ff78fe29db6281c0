"""Telling instances apart by what can be seen: alone of its class, or on one side of the others."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from transforms.algebra.columns.rows import Rows
from transforms.timeline.relation import Relation

APART = 0.10
"""Distance of centres, in parts of the picture's width, from which a side tells."""

Told = dict[str, str]


def told_apart(units: Rows) -> list[Told]:
    """Of each unit: track -> what tells it from all others of its class at any time of the window.

    A track that is alone has ''; one that nothing tells apart is missing.
    """
    window = units.stretch("window")
    bounds = (units.video.tolist(), window.start.at.tolist(), window.end.at.tolist())
    return [_of_window(units.relation, v, a, b) for v, a, b in zip(*bounds, strict=True)]


def _of_window(relation: Relation, video: int, start: int, end: int) -> Told:
    facts = relation.facts
    here = (facts.video == video) & (facts.kind == relation.codes.known("instrument"))
    here &= (facts.s0 < end) & (facts.e1 > start)
    classes: dict[int, set[int]] = defaultdict(set)
    for subject, track in zip(
        facts.subject[here].tolist(), facts.track[here].tolist(), strict=True
    ):
        classes[subject].add(track)
    out: Told = {}
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
    """(leftmost, rightmost) centre of a track within the window; None without a box."""
    samples = relation.samples
    low, high = np.searchsorted(samples["track"], [track, track + 1])
    inside = (samples["t"][low:high] >= start) & (samples["t"][low:high] < end)
    boxes = samples["box"][low:high][inside]
    if not len(boxes):
        return None
    x = (boxes[:, 0] + boxes[:, 2]) / 2
    return float(x.min()), float(x.max())

"""Measures: one number per candidate filling; the template sets the limits.

Seconds, parts of the frame, or counts; what each means stands in
``transforms.language.signatures``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ontology.boxes import distance, iou
from ontology.times import SECOND_US
from transforms.questions.candidates import Candidates
from transforms.questions.facts import Facts
from transforms.questions.motion import centre_range

Measure = Callable[[Candidates, Facts, dict], np.ndarray]


def _centres(c: Candidates, tool: str, slot: np.ndarray) -> np.ndarray:
    return c.view.centre[c.col(tool), slot]


def lasts(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    return c.seconds(args["span"])


def samples(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    first, last = c.ends(args["span"])
    return (last - first + 1).astype(np.float64)


def travel(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    first, last = c.ends(args["during"])
    values = np.array([v == "vertical" for v in c.calls[args["axis"]].args["from"]])
    axis = values[c.col(args["axis"])].astype(int)
    return centre_range(c.view, c.col(args["tool"]), first, last, axis)


def runs_last(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    """Shortest of the runs (seconds) of all instruments in view."""
    view = c.view
    out = np.full((len(view.windows), view.row.shape[1]), np.inf)
    np.minimum.at(out, view.window, np.where(view.present, _run_seconds(view), np.inf))
    found = out[c.window, c.col(args["at"])]
    return np.where(np.isinf(found), 0.0, found)


def _run_seconds(view) -> np.ndarray:
    """(M, S) length of the boxed run each sample lies in; 0 without a box."""
    many, width = view.row.shape
    if not many:
        return np.zeros((many, width))
    key = np.arange(many)[:, None] * (width + 1) + view.boxed_breaks
    low = np.full(many * (width + 1), np.iinfo(np.int64).max)
    high = np.full(many * (width + 1), np.iinfo(np.int64).min)
    flat = view.boxed
    np.minimum.at(low, key[flat], view.sample_time[flat])
    np.maximum.at(high, key[flat], view.sample_time[flat])
    return np.where(flat, (high[key] - low[key]) / SECOND_US, 0.0)


def off_lines(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    centre = _centres(c, args["tool"], c.col(args["at"]))
    lines = np.array([1 / 3, 2 / 3])
    return np.abs(centre[:, :, None] - lines).min(axis=(1, 2), initial=np.inf)


def nearest_by(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    best, second = _two_nearest(c, args)
    return np.where(np.isinf(second), 0.0, second - np.where(np.isinf(best), 0.0, best))


def _two_nearest(c: Candidates, args: dict) -> tuple[np.ndarray, np.ndarray]:
    view = c.view
    slot, spot = c.col(args["at"]), c.col(args["point"]) / 1000
    begin = np.array([r.start for r in view.presences] or [0])[c.window]
    many = np.array([len(r) for r in view.presences] or [0])[c.window]
    best, second = np.full(len(c), np.inf), np.full(len(c), np.inf)
    for k in range(int(many.max(initial=0))):
        has = k < many
        d = distance(view.centre[(begin + k)[has], slot[has]], spot[has])
        d = np.where(np.isnan(d), np.inf, d)
        second[has] = np.minimum(second[has], np.maximum(best[has], d))
        best[has] = np.minimum(best[has], d)
    return best, second


def overlap(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    view, slot, tool = c.view, c.col(args["at"]), c.col(args["tool"])
    table = view.timeline.table.box_xyxy
    begin = np.array([r.start for r in view.presences] or [0])[c.window]
    many = np.array([len(r) for r in view.presences] or [0])[c.window]
    out = np.zeros(len(c))
    for k in range(int(many.max(initial=0))):
        other = begin + k
        use = np.flatnonzero((k < many) & (other != tool))
        use = use[view.boxed[other[use], slot[use]]]
        mine, theirs = view.row[tool[use], slot[use]], view.row[other[use], slot[use]]
        out[use] = np.maximum(out[use], iou(table[mine], table[theirs]))
    return out


def apart_on_axes(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    slot = c.col(args["at"])
    delta = np.abs(_centres(c, args["tool"], slot) - _centres(c, args["other"], slot))
    return np.where(np.isnan(delta).any(axis=1), -1.0, delta.min(axis=1, initial=np.inf))


def visible_seconds(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    return facts.visible_us[c.col(args["tool"])] / SECOND_US


def actions(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    shortest = args["min_seconds"] * SECOND_US
    counts = [sum(b.duration_us >= shortest for b in blocks) for blocks in facts.blocks]
    return np.array(counts, dtype=np.float64)[c.col(args["tool"])]


def longest(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    return _two_longest(c, facts, args)[:, 0]


def longest_by(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    two = _two_longest(c, facts, args)
    return two[:, 0] - two[:, 1]


def _two_longest(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    out = np.zeros((len(c), 2))
    pairs = zip(c.col(args["tool"]).tolist(), c.col(args["verb"]).tolist(), strict=True)
    for r, (presence, verb) in enumerate(pairs):
        runs = sorted(
            (b.duration_us for b in facts.verb_runs[presence] if b.code == verb), reverse=True
        )
        for k, length in enumerate(runs[:2]):
            out[r, k] = length / SECOND_US
    return out


def leads_by(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    if args["measure"] == "verb_seconds":
        tools = range(len(c.view.window))
        values = np.array([_lead(facts.verb_us(p).values()) for p in tools])
        return values[c.col(args["of"])] if len(values) else np.zeros(len(c))
    if args["measure"] == "active_seconds":
        per = [_lead(d.values()) for d in facts.active_us]
    else:
        per = [_lead(len(t) for t in d.values()) for d in facts.class_targets]
    return np.array(per)[c.window] if per else np.zeros(len(c))


def _lead(values) -> float:
    """(best - second) / best; 0 when nothing is above zero."""
    best, second = 0.0, 0.0
    for value in values:
        if value > best:
            best, second = float(value), best
        elif value > second:
            second = float(value)
    return (best - second) / best if best else 0.0


def classes_seen(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    return c.view.class_present.any(axis=2).sum(axis=1)[c.window].astype(np.float64)


def classes_during(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    first, last = c.ends(args["during"])
    present = c.view.class_present
    total = np.zeros((*present.shape[:2], present.shape[2] + 1), dtype=np.int32)
    np.cumsum(present, axis=2, out=total[:, :, 1:])
    seen = total[c.window, :, last + 1] > total[c.window, :, first]
    return seen.sum(axis=1).astype(np.float64)


def targets_touched(c: Candidates, facts: Facts, args: dict) -> np.ndarray:
    counts = [len(facts.targets(p)) for p in range(len(c.view.window))]
    return np.array(counts, dtype=np.float64)[c.col(args["tool"])] if counts else np.zeros(len(c))


MEASURES: dict[str, Measure] = {
    f.__name__: f
    for f in (
        lasts, samples, travel, runs_last, off_lines, nearest_by, overlap, apart_on_axes,
        visible_seconds, actions, longest, longest_by, leads_by, classes_seen, classes_during,
        targets_touched,
    )
}  # fmt: skip

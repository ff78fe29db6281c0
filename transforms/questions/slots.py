"""Slot kinds: from a table of fillings to one with a further slot.

Each function gives, for a table of R rows, (parent row, value, code) of the new rows;
parents ascend.  Codes come from content alone (times from the window's start, names,
numbers), so a filling is drawn alike whatever else is in the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ontology.keys import combine, h64, mix64
from ontology.records import UNKNOWN
from ontology.times import SECOND_US
from transforms.questions.candidates import Candidates
from transforms.questions.facts import Facts

PRINTED_STEP_US = 10_000
"""Texts print times with two decimals."""


class Expansion(NamedTuple):
    """New rows of a table: parent (K,), value (K,) or (K, 2), code uint64 (K,)."""

    parent: np.ndarray
    value: np.ndarray
    code: np.ndarray


Expander = Callable[[Candidates, Facts, dict], Expansion]


def name_codes(names) -> np.ndarray:
    """uint64 codes of names."""
    return np.array([h64("name", n) for n in names], dtype=np.uint64)


def askable(view) -> np.ndarray:
    """bool (W, S), instants on the grid whose printed time names no other instant."""
    offset = view.time - view.start_us[:, None]
    printed = (offset + PRINTED_STEP_US // 2) // PRINTED_STEP_US * PRINTED_STEP_US
    gap = np.diff(view.timeline.table.instants_us).min(initial=SECOND_US)
    return view.grid & (2 * np.abs(printed - offset) < gap)


def instant(c: Candidates, facts: Facts, args: dict) -> Expansion:
    """``kind: instant``."""
    view = c.view
    good = askable(view)
    if args["classes"]:
        good &= view.class_present.sum(axis=1) >= args["classes"]
    if args["boxed"]:
        good &= view.all_boxed
    if args["interactions_known"]:
        good &= view.pairs_known
    parent, slot = np.nonzero(good[c.window])
    code = view.time[c.window[parent], slot] - view.start_us[c.window[parent]]
    return Expansion(parent, slot, code.astype(np.uint64))


def instrument(c: Candidates, facts: Facts, args: dict) -> Expansion:
    """``kind: instrument``: presences of the row's window."""
    view = c.view
    begin = np.array([r.start for r in view.presences] or [0])
    many = np.array([len(r) for r in view.presences] or [0])[c.window]
    parent = np.repeat(np.arange(len(c)), many)
    offset = np.arange(len(parent)) - np.repeat(np.cumsum(many) - many, many)
    presence = begin[c.window[parent]] + offset
    keep = np.ones(len(presence), dtype=bool)
    if args["at"]:
        there = view.boxed if args["boxed"] else view.present
        keep &= there[presence, c.col(args["at"])[parent]]
    elif args["boxed"]:
        keep &= view.boxed[presence].any(axis=1) if len(presence) else keep
    if args["differs_from"]:
        keep &= presence != c.col(args["differs_from"])[parent]
    if args["after"]:
        keep &= presence > c.col(args["after"])[parent]
    parent, presence = parent[keep], presence[keep]
    labels = name_codes(view.timeline.table.labels)
    code = combine(labels[view.label[presence]], view.instance[presence].astype(np.uint64))
    return Expansion(parent, presence, code)


def interval(c: Candidates, facts: Facts, args: dict) -> Expansion:
    """``kind: interval``: two askable instants, the instruments seen all the way."""
    view = c.view
    slots, valid = _grid_slots(askable(view))
    i, j = np.triu_indices(slots.shape[1], 1)
    time = np.take_along_axis(view.time, slots, axis=1)
    length = time[:, j] - time[:, i]
    good = valid[:, i] & valid[:, j] & (length >= args["min_seconds"] * SECOND_US)
    if args["max_seconds"] is not None:
        good &= length <= args["max_seconds"] * SECOND_US
    parent, pair = np.nonzero(good[c.window])
    first, last = slots[c.window[parent], i[pair]], slots[c.window[parent], j[pair]]
    for tool in args["of"]:
        presence = c.col(tool)[parent]
        there, breaks = (
            (view.boxed, view.boxed_breaks) if args["boxed"] else (view.present, view.seen_breaks)
        )
        keep = there[presence, first] & (breaks[presence, first] == breaks[presence, last])
        parent, first, last = parent[keep], first[keep], last[keep]
    w = c.window[parent]
    code = combine(
        (view.time[w, first] - view.start_us[w]).astype(np.uint64),
        mix64((view.time[w, last] - view.start_us[w]).astype(np.uint64)),
    )
    return Expansion(parent, np.stack([first, last], axis=1), code)


def _grid_slots(good: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slots that may be asked about, packed to the left: (W, G) slots and their validity."""
    many = good.sum(axis=1)
    order = np.argsort(~good, axis=1, kind="stable")[:, : int(many.max(initial=0))]
    return order, np.arange(order.shape[1]) < many[:, None]


def instrument_class(c: Candidates, facts: Facts, args: dict) -> Expansion:
    """``kind: instrument_class``: classes of the video's vocabulary."""
    seen = facts.vocabulary_present.any(axis=2)
    annotated = (c.view.count > 0)[:, None]  # nothing is known of a window without an instant
    good = annotated & {"yes": seen, "no": ~seen, "either": np.ones_like(seen)}[args["seen"]]
    parent, which = np.nonzero(good[c.window])
    return Expansion(parent, which, name_codes(c.view.timeline.video.vocabulary)[which])


def verb(c: Candidates, facts: Facts, args: dict) -> Expansion:
    """``kind: verb``: done by the instrument, at the moment or anywhere in the window."""
    parent, which = _of_tool(c, facts.verb_samples, args)
    return Expansion(parent, which, _taken(c.view.timeline.verbs, which))


def target(c: Candidates, facts: Facts, args: dict) -> Expansion:
    """``kind: target``."""
    names = c.view.timeline.targets
    if args["of"]:
        samples = facts.target_samples
        parent, which = _of_tool(c, samples, args)
        if args["doing"]:
            keep = _done_together(c, facts, args, parent, which)
            parent, which = parent[keep], which[keep]
        return Expansion(parent, which, _taken(names, which))
    touched = facts.touched.any(axis=2).T
    good = touched if args["touched"] == "yes" else np.ones_like(touched)
    parent, which = np.nonzero(good[c.window])
    return Expansion(parent, which, _taken(names, which))


def _taken(names, which) -> np.ndarray:
    return name_codes(names)[which] if len(names) else np.zeros(0, dtype=np.uint64)


def _of_tool(c: Candidates, samples: np.ndarray, args: dict):
    presence = c.col(args["of"])
    if args["at"]:
        good = samples[:, presence, c.col(args["at"])].T
    else:
        good = samples.any(axis=2)[:, presence].T
    return np.nonzero(good)


def _done_together(c, facts, args, parent, which) -> np.ndarray:
    """bool: some sample of the instrument holds the pair (doing, target)."""
    timeline = c.view.timeline
    presence = c.col(args["of"])[parent]
    doing = c.col(args["doing"])[parent]
    flags = np.zeros(
        (len(timeline.table.pair_sets) + 1, len(timeline.verbs), len(timeline.targets)), bool
    )
    for code, pairs in enumerate(timeline.table.pair_sets):
        for v, t in pairs:
            flags[code, timeline.verbs.index(v), timeline.targets.index(t)] = True
    return flags[c.view.pairs[presence], doing[:, None], which[:, None]].any(axis=1)


def choice(c: Candidates, facts: Facts, args: dict) -> Expansion:
    """``kind: choice``: the listed values."""
    values = args["from"]
    parent = np.repeat(np.arange(len(c)), len(values))
    which = np.tile(np.arange(len(values)), len(c))
    return Expansion(parent, which, name_codes(values)[which])


def change(c: Candidates, facts: Facts, args: dict) -> Expansion:
    """``kind: change``: the first sample of a new verb; both samples have one known pair."""
    view = c.view
    verb_now, run = view.verb, view.seen_breaks
    new = np.zeros(verb_now.shape, dtype=bool)
    between = np.diff(view.sample_time, axis=1) - view.timeline.video.period_us
    new[:, 1:] = (
        (verb_now[:, 1:] != UNKNOWN)
        & (verb_now[:, :-1] != UNKNOWN)
        & (verb_now[:, 1:] != verb_now[:, :-1])
        & (run[:, 1:] == run[:, :-1])
        & (between <= args["max_gap_seconds"] * SECOND_US)
        & askable(view)[view.window][:, 1:]
    )
    parent, slot = np.nonzero(new[c.col(args["of"])])
    w = c.window[parent]
    return Expansion(parent, slot, (view.time[w, slot] - view.start_us[w]).astype(np.uint64))


def point(c: Candidates, facts: Facts, args: dict) -> Expansion:
    """``kind: point``: a jittered grid point per cell, in whole thousandths as printed."""
    cells = args["cells"]
    parent = np.repeat(np.arange(len(c)), cells * cells)
    cell = np.tile(np.arange(cells * cells, dtype=np.uint64), len(c))
    code = combine(c.slot_codes[args["at"]][parent], mix64(cell))
    noise = mix64(code)
    share = np.stack([noise & np.uint64(0xFFFF), (noise >> np.uint64(16)) & np.uint64(0xFFFF)], 1)
    corner = np.stack([cell % np.uint64(cells), cell // np.uint64(cells)], axis=1).astype(
        np.float64
    )
    inside = 0.2 + 0.6 * (share.astype(np.float64) / 0xFFFF)
    return Expansion(parent, np.floor((corner + inside) / cells * 1000).astype(np.int64), code)


def box(c: Candidates, facts: Facts, args: dict) -> Expansion:
    """``kind: box``: the instrument's box; nothing new to draw."""
    rows = c.view.row[c.col(args["of"]), c.col(args["at"])]
    return Expansion(np.arange(len(c)), rows, np.zeros(len(c), dtype=np.uint64))


SLOTS: dict[str, Expander] = {
    f.__name__: f
    for f in (
        instant, instrument, interval, instrument_class, verb, target, choice, change, point, box,
    )
}  # fmt: skip

"""One-line faults in what makes facts: each turns one thing that it does into another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from surgqa.ontology.kinds import kind
from surgqa.transforms.exports import evidence as written
from surgqa.transforms.timeline.relation import draft, gather, hands, instants, tools

S = 1_000_000

Fault = Callable[[pytest.MonkeyPatch], None]


def put(room: Any, name: str, value: Any) -> Fault:
    """A fault that puts a value in the place of another."""
    return lambda patch: patch.setattr(room, name, value, raising=False)


def after(room: Any, name: str, change: Callable[..., Any]) -> Fault:
    """A fault that changes what a function gives."""
    right = getattr(room, name)
    return put(room, name, lambda *given, **named: change(right(*given, **named)))


def before(room: Any, name: str, change: Callable[..., tuple[Any, ...]]) -> Fault:
    """A fault that changes what a function is given."""
    right = getattr(room, name)
    return put(room, name, lambda *given, **named: right(*change(*given), **named))


def _runs(**columns: Callable[[np.ndarray], np.ndarray]) -> Callable[[Any], Any]:
    return lambda runs: replace(runs, **{k: f(getattr(runs, k)) for k, f in columns.items()})


def _facts(**columns: Callable[[np.ndarray], np.ndarray]) -> Callable[[Any], Any]:
    return lambda facts: replace(facts, **{k: f(getattr(facts, k)) for k, f in columns.items()})


def _first_left_out(runs: Any) -> Any:
    return instants.Runs(*(getattr(runs, name)[1:] for name in runs.__slots__))


def _rows(**columns: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda row: row | {name: change(row[name]) for name, change in columns.items()}


def _none(*_given: Any) -> None:
    return None


def _unshared(_draft: Any, runs: Any, *_rest: Any) -> tuple[np.ndarray, np.ndarray]:
    nothing = np.full(len(runs.key), -1, np.int64)
    return nothing, nothing


def _halved(samples: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return samples | {"box": samples["box"] / 2}


def _later(seen: np.ndarray) -> np.ndarray:
    return seen + np.array([0, S - 1])


TOOLS: dict[str, Fault] = {
    "a second late": after(tools, "runs_of", _runs(s=lambda s: s + S)),
    "starts a microsecond early": after(tools, "runs_of", _runs(s0=lambda s: s - 1)),
    "slack lost": after(tools, "runs_of", lambda runs: replace(runs, s0=runs.s, e1=runs.e)),
    "one run dropped": after(tools, "runs_of", _first_left_out),
    "runs merged over gaps": put(instants, "REACH", 4.0),
    "runs cut at each label": put(instants, "REACH", 0.5),
    "no midpoints": put(instants, "_half", lambda a, _b: a),
    "looked past the last label": after(instants.KindInstants, "looked", _later),
    "a hole dropped": after(draft, "holes_between", lambda holes: holes[:-1]),
    "a hole cut short": after(draft, "holes_between", lambda holes: holes + np.array([0, -1])),
    "holes of all instruments": put(
        draft.RelationDraft, "add_holes",
        lambda self, name, looked, label=-1, subject=-1, floor=1 << 60,
        right=draft.RelationDraft.add_holes:
        right(self, name, looked),
    ),
    "idle as an interaction": put(tools, "IDLE", ("nothing", "null_target")),
    "unlabelled acts taken as none": put(tools, "UNKNOWN", -2),
    "borders not shared": put(tools, "_shared_borders", _unshared),
    "one fact on two sides of a gap taken as two": put(draft, "union", _none),
    "every fact of a class one": put(draft, "CLASS_KEY", ("kind",)),
    "reach of the fact alone": put(draft, "reaching", lambda facts, group: replace(facts, 
        grp=group.astype(np.int32))),
    "instance there a second longer": after(tools, "_there", lambda t: (t[0], t[1] + S)),
    "boxes halved": after(draft.RelationDraft, "_joined_samples", _halved),
    "proved by the first label alone": after(
        draft.RelationDraft, "prove_runs", lambda proofs: np.zeros_like(proofs)),
    "targets dropped": after(tools, "_codes_of", lambda codes: (codes[0], codes[1] * 0 - 1)),
    "kinds exchanged": put(draft.RelationDraft, "add_runs", lambda self, name, *rest,
        right=draft.RelationDraft.add_runs, **more:
        right(self, {"idle": "interaction", "interaction": "idle"}.get(name, name), *rest, **more)),
    "ids without times": put(written, "IDENTITY", written.IDENTITY[:-2]),
    "not looked for": put(gather, "mapped_labels", lambda *_of: ()),
}  # fmt: skip
"""Faults that a dataset with instruments, acts, boxes and phases shows."""

SPANS: dict[str, Fault] = {
    "spans a second late": after(gather, "_of_span", _rows(s=lambda s: s + S)),
    "runs of labels taken as exact": before(
        gather, "_of_span", lambda d, span, *rest: (d, replace(span, sampled_us=0), *rest)
    ),
    "spans' borders not shared": put(gather, "_share_borders", _none),
    "holes end spans": put(gather, "_open_into_holes", _none),
    "looked past the last span": before(
        gather, "looked_at", lambda spans: ([replace(one, sampled_us=0) for one in spans],)
    ),
    "labels of the whole forgotten": put(gather, "_add_whole", _none),
}
"""Faults that runs of phases show."""

OTHERS: dict[tuple[str, str], Fault] = {
    ("multibypass140", "slack of spans lost"): before(
        gather, "_of_span", lambda d, span, name, _half: (d, span, name, 0)),
    ("aixsuture", "raters' mean"): after(
        draft.FactTable, "of", _facts(value_hi=lambda value: value * 0)),
    ("aixsuture", "the lowest is the highest"): put(gather, "max", min),
    ("ldpolypvideo", "absent labels kept"): put(
        gather, "described", lambda name: replace(kind(name), fields={"value": "number"})),
    ("kvasir_capsule", "regions under the spans' name"): before(
        gather, "_add_region", lambda d, _name, kind, *rest: (d, kind, kind, *rest)),
    ("endovis2018", "boxes of regions dropped"): put(gather, "_add_boxes", _none),
    ("unified", "acts keep their name"): put(gather, "RENAMED", {}),
    ("unified", "half is watched"): put(gather, "CHANNELS", {}),
    ("unified", "hands not named"): put(gather, "name_hands", _none),
    ("unified", "hands named too seldom"): put(hands, "_done", lambda *_given: []),
    ("unified", "noted kinds unknown"): put(
        gather, "described", lambda name: replace(kind(name), labelled="spans")),
}  # fmt: skip
"""(sample, fault)"""

"""Properties of a value that templates read with a dot, such as ``act.start`` or ``seen.size``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surgqa.ontology.workflow import operation
from surgqa.transforms.algebra.columns.boxes import box_at, start_of
from surgqa.transforms.algebra.columns.relations import ends_of
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import (
    Box,
    Group,
    Label,
    Listed,
    Many,
    One,
    Range,
    Record,
    Stretch,
    Value,
    counted,
)


def read(value: Value, reader: str, argument: Value | None, rows: Rows) -> Value:
    """Return the property ``reader`` of a value, such as ``start`` in ``act.start``.

    Raises:
        TypeError: the value has no such property; the parser rejects such a template.
    """
    match value:
        case One() if reader in ("box", "centre"):
            return _of_picture(value, reader, argument, rows)
        case One():
            return _of_fact(value, reader, rows)
        case Range():
            bound = value.lo if reader == "earliest" else value.hi
            return Range.of(bound, bound, bound, value.ok, value.none)
        case Stretch() if reader == "procedure":
            return _operations(rows)
        case Stretch():
            return _of_stretch(value, reader)
        case Group():
            return _of_group(value, reader)
        case Many() if reader == "size":
            return _size(value)
        case Listed() if reader == "size":
            size = _size(value.facts)
            return Range.of(size.lo, size.lo, size.lo, value.ok)
        case Record():
            return value.numbers[reader]
        case Box():
            return _of_box(value, reader)
        case Label() if reader in ("verb", "target"):
            return _of_act(value, reader, rows)
        case _:
            raise TypeError(f"a {type(value).__name__} has no property {reader!r}")


def _of_fact(fact: One, reader: str, rows: Rows) -> Value:
    columns, ok, none = fact.columns, fact.ok, fact.none
    ends = ends_of(columns)
    if reader in ("start", "end"):
        found = ends.reach_start if reader == "start" else ends.reach_end
        return Range.of(found.lo, found.at, found.hi, ok, none, found.mark)
    if reader == "middle":
        whole = Stretch(ends.reach_start, ends.reach_end, lasts=True)
        return replace(_of_stretch(whole, reader), ok=ok, none=none)
    if reader == "length":
        shortest = np.maximum(columns["e0"] - columns["s1"], 1)
        return Range.of(
            shortest, columns["e"] - columns["s"], columns["x1"] - columns["x0"], ok, none
        )
    if reader == "value":
        low, high = columns["value_lo"], columns["value_hi"]
        return Range.of(low, (low + high) / 2, high, ok & ~np.isnan(low), none)
    if reader == "act":
        return acts(columns["verb"], columns["target"], ok, none, rows)
    if reader == "track":
        return fact
    code = columns[reader].astype(np.int64)
    return Label(code, ok, none | (ok & (code < 0)))


def _of_act(act: Label, reader: str, rows: Rows) -> Label:
    """Return the verb or the target of an act such as "cut,cystic_duct"; the target may be none."""
    codes = rows.relation.codes
    parts = {code: codes.name(code).partition(",") for code in np.unique(act.code).tolist()}
    found = {code: codes.code(verb if reader == "verb" else target)
             for code, (verb, _, target) in parts.items()}  # fmt: skip
    code = np.array([found[one] for one in act.code.tolist()], np.int64)
    return Label(code, act.ok, act.none | (act.ok & (code < 0)))


def acts(
    verb: np.ndarray, target: np.ndarray, ok: np.ndarray, none: np.ndarray, rows: Rows
) -> Label:
    """Return verbs and targets as labels: ``verb,target``, or ``verb`` without a target."""
    codes = rows.relation.codes
    many = int(target.max(initial=0)) + 2
    pairs, inverse = np.unique(verb.astype(np.int64) * many + target + 1, return_inverse=True)
    names = [",".join(filter(None, (codes.name(one // many), codes.name(one % many - 1))))
             for one in pairs.tolist()]  # fmt: skip
    code = np.array([codes.code(name) for name in names], np.int64)
    return Label(code[inverse.reshape(-1)] if len(code) else verb.astype(np.int64), ok, none)


def _of_picture(fact: One, reader: str, axis: Value | None, rows: Rows) -> Value:
    """Return a fact's box at its start, or the x or y (``axis``) of the box's centre."""
    box = box_at(fact, start_of(fact), rows)
    if reader == "box":
        return box
    assert isinstance(axis, Label)
    across = axis.code == rows.relation.codes.known("horizontal")
    number = np.where(across, box.centre[:, 0], box.centre[:, 1])
    return Range.of(number, number, number, box.ok & axis.ok, box.none)


def _operations(rows: Rows) -> Label:
    """Return the operation (such as cholecystectomy) that the video of each row shows."""
    ids = [operation(one.procedure) for one in rows.relation.recordings]
    return Label.known(np.array(list(map(rows.relation.codes.code, ids)), np.int64)[rows.video])


def _of_stretch(value: Stretch, reader: str) -> Range:
    start, end = value.start, value.end
    if reader == "start":
        return start
    if reader == "end":
        return end
    ok = value.ok
    if reader == "length":
        return Range.of(np.maximum(end.lo - start.hi, 1), end.at - start.at, end.hi - start.lo, ok)
    return Range.of(
        (start.lo + end.lo) // 2, (start.at + end.at) // 2, (start.hi + end.hi) // 2, ok
    )


def _of_group(value: Group, reader: str) -> Value:
    n = len(value.ok)
    size = np.bincount(value.filling, minlength=n)
    if reader == "size":
        size = size.astype(np.float64)
        return Range.of(size, size, size, value.ok)
    place = np.searchsorted(value.filling, np.arange(n), "left")
    if reader == "last":
        place = place + size - 1
    code = np.full(n, -1, np.int64)
    code[size > 0] = value.code[place[size > 0]]
    return Label(code, value.ok & (size > 0), np.zeros(n, bool))


def _of_box(box: Box, reader: str) -> Value:
    if reader == "centre":
        return Box(np.concatenate([box.centre, box.centre], axis=1), box.ok, box.none)
    x1, y1, x2, y2 = box.xyxy.T
    number = {"x": (x1 + x2) / 2, "y": (y1 + y2) / 2, "area": (x2 - x1) * (y2 - y1)}[reader]
    return Range.of(number, number, number, box.ok, box.none)


def _size(value: Many) -> Range:
    certain = np.bincount(value.filling[value.sure], minlength=value.n)
    return counted(value, certain, np.bincount(value.filling, minlength=value.n), value.ok)

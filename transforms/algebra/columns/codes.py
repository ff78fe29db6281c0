"""Codes of values: numbers that depend on what a value is and on nothing else."""

from __future__ import annotations

import numpy as np

from ontology.keys import combine, h64, mix64
from transforms.algebra.columns import values as v
from transforms.algebra.columns.rows import Rows
from transforms.timeline.relation import SHIFT

PLACES = 10_000
"""Steps of a coordinate that are told apart."""


def value_codes(value: v.Value, rows: Rows) -> np.ndarray:
    """uint64 (n,): equal for equal values; times count from the recording's start."""
    match value:
        case v.Truth():
            return mix64(value.yes.astype(np.uint64))
        case v.Range():
            return _of_times(value.at, rows)
        case v.Label():
            return _of_ids(value.code, rows)
        case v.One():
            what = combine(
                _of_ids(value.columns["label"], rows), _of_ids(value.columns["track"], rows)
            )
            act = combine(
                _of_ids(value.columns["verb"], rows), _of_ids(value.columns["target"], rows)
            )
            return combine(combine(what, act), _of_times(value.columns["s"], rows))
        case v.Stretch():
            return combine(value_codes(value.start, rows), value_codes(value.end, rows))
        case v.Box():
            steps = np.nan_to_num(value.xyxy * PLACES).round().astype(np.int64).astype(np.uint64)
            return combine(combine(mix64(steps[:, 0]), mix64(steps[:, 1])),
                           combine(mix64(steps[:, 2]), mix64(steps[:, 3])))  # fmt: skip
        case v.Group():
            return _folded(value.filling, _of_ids(value.code, rows), rows.n)
        case v.Spans():
            inside = rows.inside(value.filling)
            return _folded(value.filling, value_codes(value.span, inside), rows.n)
    raise TypeError(f"no code of a {type(value).__name__}")


def _of_times(at: np.ndarray, rows: Rows) -> np.ndarray:
    if at.dtype == np.float64:
        return mix64(np.ascontiguousarray(at).view(np.uint64))
    base = np.where(at >= 1 << (SHIFT - 1), rows.base, 0)
    return mix64((at - base).astype(np.uint64))


def _of_ids(code: np.ndarray, rows: Rows) -> np.ndarray:
    names, inverse = np.unique(code, return_inverse=True)
    keys = [h64(rows.relation.codes.name(int(one))) for one in names.tolist()]
    return np.array(keys, np.uint64)[inverse.reshape(-1)] if len(keys) else code.astype(np.uint64)


def _folded(filling: np.ndarray, codes: np.ndarray, n: int) -> np.ndarray:
    """Members' codes in their order, folded by position."""
    size = np.bincount(filling, minlength=n)
    place = np.arange(len(filling)) - (np.cumsum(size) - size)[filling]
    member = combine(codes, mix64(place.astype(np.uint64)))
    out = np.zeros(n, np.uint64)
    with np.errstate(over="ignore"):
        np.add.at(out, filling, member)
    return mix64(out)

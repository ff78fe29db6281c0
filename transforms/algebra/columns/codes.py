"""Hash codes of values, which depend on nothing but the value."""

from __future__ import annotations

from functools import partial

import numpy as np
import orjson

from surgqa.ontology.keys import h64
from surgqa.ontology.mixing import combine, mix64
from surgqa.transforms.algebra.columns import values as v
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.typed import plain
from surgqa.transforms.algebra.types import RECORD
from surgqa.transforms.timeline.relation import SHIFT

PLACES = 10_000
"""Coordinates are rounded to this many steps before they are hashed."""


def value_codes(value: v.Value, rows: Rows) -> np.ndarray:
    """Return uint64 (n,), a hash of the value in each row; equal values have equal hashes.

    Times are counted from the start of the video.
    """
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
        case v.Listed():
            texts = [orjson.dumps(one, option=orjson.OPT_SORT_KEYS).decode()
                    for one in plain(value, RECORD, rows)]  # fmt: skip
            return np.array([h64(one) for one in texts], np.uint64)
    raise TypeError(f"cannot compute a code of a {type(value).__name__}")


def _of_times(at: np.ndarray, rows: Rows) -> np.ndarray:
    if at.dtype == np.float64:
        return mix64(np.ascontiguousarray(at).view(np.uint64))
    base = np.where(at >= 1 << (SHIFT - 1), rows.base, 0)
    return mix64((at - base).astype(np.uint64))


def _of_ids(code: np.ndarray, rows: Rows) -> np.ndarray:
    relation = rows.relation
    table = np.zeros(len(relation.codes.names) + 1, np.uint64)
    for one in np.flatnonzero(np.bincount(code + 1)).tolist():
        name = relation.codes.name(one - 1)
        table[one] = relation.once(("key", name), partial(h64, name))
    return table[code + 1]


def _folded(filling: np.ndarray, codes: np.ndarray, n: int) -> np.ndarray:
    """Return uint64 (n,), for each set or sequence, a hash of its members in their order."""
    size = np.bincount(filling, minlength=n)
    place = np.arange(len(filling)) - (np.cumsum(size) - size)[filling]
    member = combine(codes, mix64(place.astype(np.uint64)))
    out = np.zeros(n, np.uint64)
    with np.errstate(over="ignore"):
        np.add.at(out, filling, member)
    return mix64(out)

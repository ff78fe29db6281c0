"""Values as stored in a dataset's rows (``answer_value``, ``slots``): plain Python data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import orjson

from surgqa.transforms.algebra.columns import values as v
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.read import read
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.tree import Name, Node
from surgqa.transforms.algebra.types import INSTANT, STRETCH, Type
from surgqa.transforms.timeline.relation import NONE

DECIMALS = 6
"""Decimals of measured numbers: finer than any annotation, coarser than rounding errors."""


def typed(node: Node, rows: Rows) -> list[Any]:
    """Return the value of an expression in each row as plain data; do not change these objects."""
    return rows.listed(node, _typed)


def _typed(node: Node, rows: Rows) -> list[Any]:
    if isinstance(node, Name) and isinstance(rows.origin(node.name)[0], v.Many):
        return [None] * rows.n  # as plain() would, but facts are not copied for each row
    return plain(evaluate(node, rows), node.type, rows)


def plain(value: v.Value, of: Type, rows: Rows) -> list[Any]:
    """Return a column of values as plain data.

    Instants and stretches are microseconds from the video's start, with their bounds if they are
    uncertain. A fact is its labels with its start and end. None is null.
    """
    match value:
        case v.Truth():
            return _truths(value)
        case v.Range() if of.name == "instant":
            return _times(value, rows)
        case v.Range():
            return _numbers(value)
        case v.Label() if of.name == "act":
            return [_act(name) for name in _names(value, rows)]
        case v.Label() if of.name == "statement":
            return value.code.tolist()
        case v.Label():
            return [name or None for name in _names(value, rows)]
        case v.Stretch():
            starts, ends = _times(value.start, rows), _times(value.end, rows)
            return [{"start": a, "end": b} for a, b in zip(starts, ends, strict=True)]
        case v.Box():
            return [
                None if np.isnan(row[0]) else row for row in value.xyxy.round(DECIMALS).tolist()
            ]
        case v.One():
            return _facts(value, rows)
        case v.Group():
            return _groups(value, rows)
        case v.Listed():
            return _records(value, rows)
        case v.Record():
            return _measures(value)
        case v.Spans():
            return _spans(value, rows)
        case v.Many():
            return [None] * value.n
    raise TypeError(f"cannot make plain data of a {type(value).__name__}")


def _measures(value: v.Record) -> list[dict[str, Any]]:
    columns = {name: _numbers(part) for name, part in value.numbers.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _truths(value: v.Truth) -> list[bool | None]:
    known = (value.yes | value.no).tolist()
    return [yes if ok else None for yes, ok in zip(value.yes.tolist(), known, strict=True)]


def _spans(value: v.Spans, rows: Rows) -> list[list[Any]]:
    inside = Rows(rows.relation, rows.video[value.filling], {}, rows, value.filling)
    parts = plain(value.span, STRETCH if isinstance(value.span, v.Stretch) else INSTANT, inside)
    cut = np.searchsorted(value.filling, np.arange(rows.n + 1)).tolist()
    return [parts[a:b] for a, b in pairwise(cut)]


def _times(value: v.Range, rows: Rows) -> list[Any]:
    base = rows.base
    low, at, high = ((part - base).tolist() for part in (value.lo, value.at, value.hi))
    for i in np.flatnonzero((value.lo != value.hi) | value.none).tolist():
        between = {"time_us": at[i], "earliest_us": low[i], "latest_us": high[i]}
        at[i] = None if value.none[i] else between
    return at


def _numbers(value: v.Range) -> list[Any]:
    low, at, high = (part.tolist() if part.dtype == np.int64 else [*map(_rounded, part.tolist())]
                     for part in (value.lo, value.at, value.hi))  # fmt: skip
    for i in np.flatnonzero((value.lo != value.hi) | value.none).tolist():
        if value.none[i]:
            at[i] = None
        elif low[i] != high[i]:
            at[i] = {"value": at[i], "least": low[i], "most": high[i]}
    return at


def _rounded(x: float) -> float | int:
    return int(x) if x.is_integer() else round(x, DECIMALS)


def _names(value: v.Label, rows: Rows) -> list[str]:
    names = rows.relation.codes.names
    return ["" if none or code < 0 else names[code] for code, none in
            zip(value.code.tolist(), value.none.tolist(), strict=True)]  # fmt: skip


def _act(name: str) -> dict[str, str | None] | None:
    if not name:
        return None
    verb, _, target = name.partition(",")
    return {"verb": verb, "target": target or None}


_IDS = ("label", "subject", "verb", "target", "track")


def _facts(value: v.One, rows: Rows) -> list[Any]:
    """Return the facts as dicts; rows with the same fact share one dict."""
    base, names, columns = rows.base, rows.relation.codes.names, value.columns
    parts = [*(columns[name] for name in _IDS), columns["s"] - base, columns["e"] - base]
    made: dict[tuple[int, ...], dict[str, Any]] = {}
    out: list[Any] = []
    for key, there in zip(zip(*(part.tolist() for part in parts), strict=True),
                          (value.ok & ~value.none).tolist(), strict=True):  # fmt: skip
        if there and key not in made:
            ids = {name: names[code] for name, code in zip(_IDS, key, strict=False) if code >= 0}
            made[key] = {**ids, "start_us": key[-2], "end_us": key[-1]}
        out.append(made[key] if there else None)
    return out


def _groups(value: v.Group, rows: Rows) -> list[list[str]]:
    n = len(value.ok)
    out: list[list[str]] = [[] for _ in range(n)]
    for filling, code in zip(value.filling.tolist(), value.code.tolist(), strict=True):
        out[filling].append(rows.relation.codes.name(code))
    return out


def _records(value: v.Listed, rows: Rows) -> list[list[dict[str, Any]]]:
    found = value.facts
    inner = rows.inside(found.filling)
    true = np.ones(len(found.filling), bool)
    one = v.One(found.row, found.columns, true, ~true)
    columns = {name: _field(one, name, inner) for name in value.fields}
    out: list[list[dict[str, Any]]] = [[] for _ in range(rows.n)]
    for i, filling in enumerate(found.filling.tolist()):
        out[filling].append({name: column[i] for name, column in columns.items()})
    return out


def _field(one: v.One, name: str, rows: Rows) -> list[Any]:
    if name in ("start_box", "end_box"):
        return plain(edge_box(one, name == "end_box", rows), Type("box"), rows)
    value = read(one, name, None, rows)
    kind = "instant" if name in ("start", "end") else "label"
    return plain(value, Type(kind), rows)


def edge_box(one: v.One, last: bool, rows: Rows) -> v.Box:
    """Return the box of an instance at the first or the last annotated instant of a fact."""
    from surgqa.transforms.algebra.columns.boxes import track_samples

    filling, row = track_samples(one, one.columns["s0"], one.columns["e1"], rows)
    place = np.full(rows.n, -1, np.int64)
    order = slice(None) if last else slice(None, None, -1)
    place[filling[order]] = row[order]
    boxes = rows.relation.samples["box"]
    known = place >= 0
    xyxy = (
        np.where(known[:, None], boxes[np.maximum(place, 0)], np.nan)
        if len(boxes)
        else np.full((rows.n, 4), np.nan)
    )
    return v.Box(xyxy, known, np.zeros(rows.n, bool))


# -- one value -----------------------------------------------------------------------------------


def at_us(value: Any) -> int:
    """Return an instant as printed, in microseconds; ``value`` may be a dict with bounds."""
    return int(value["time_us"] if isinstance(value, dict) else value)


def number_of(value: Any) -> float:
    """Return a number as printed; ``value`` may be a dict with bounds."""
    return value["value"] if isinstance(value, Mapping) else value


def text_of(value: Any) -> str:
    """Return plain data as canonical text, which is equal for equal values."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def may_be_one(a: Any, b: Any) -> bool:
    """True if two values may be equal: all their parts have overlapping ranges."""
    low, high = _bounds(a), _bounds(b)
    if low and high:
        return low[0] <= high[1] and high[0] <= low[1]
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(may_be_one(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(may_be_one, a, b))
    return bool(a == b)


def _bounds(value: Any) -> tuple[float, float] | None:
    for low, high in (("least", "most"), ("earliest_us", "latest_us")):
        if isinstance(value, dict) and low in value:
            return value[low], value[high]
    return (value, value) if isinstance(value, int | float) else None


# -- from data ------------------------------------------------------------------------------------


def column(values: Sequence[Any], of: Type, rows: Rows) -> v.Value:
    """Return plain data, one value for each row, as a column. Times are taken as exact.

    Raises:
        TypeError: values of this type have no column.
    """
    base = rows.base
    match of.name:
        case "instant":
            return v.Range.exact(base + np.array([at_us(value) for value in values], np.int64))
        case "stretch":
            edges = ([at_us(value[edge]) for value in values] for edge in ("start", "end"))
            start, end = (v.Range.exact(base + np.array(edge, np.int64)) for edge in edges)
            return v.Stretch(start, end)
        case "number" | "duration":
            kind = np.float64 if of.name == "number" else np.int64
            return v.Range.exact(np.array([number_of(value) for value in values], kind))
        case "set" | "sequence":
            filling = np.repeat(np.arange(rows.n), [len(value) for value in values])
            members = [_code(one, rows) for value in values for one in value]
            return v.Group(filling, np.array(members, np.int64), np.ones(rows.n, bool))
        case "label" | "act" | "word":
            return v.Label.known(np.array([_code(value, rows) for value in values], np.int64))
    raise TypeError(f"cannot make a column of type {of}")


def _code(value: Any, rows: Rows) -> int:
    if isinstance(value, dict):  # an act
        value = ",".join(filter(None, (value["verb"], value["target"])))
    return rows.relation.codes.code(value) if value else NONE

"""The form over columns and the form in SQL, value by value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from surgqa.transforms.algebra.columns.values import (
    Box,
    Group,
    Label,
    Listed,
    Many,
    One,
    Range,
    Record,
    Spans,
    Stretch,
    Truth,
    Value,
)
from surgqa.transforms.algebra.tree import Node
from surgqa.transforms.algebra.worlds.force import LOOK_BACK
from surgqa.transforms.timeline.relation import SHIFT, Relation

OPEN, NONE = "open", "none"
FACT = ("label", "subject", "track", "verb", "target", "s0", "s", "s1", "e0", "e", "e1", "x0", "x1")


def cases(relation: Relation, video: np.ndarray, now_us: np.ndarray) -> pa.Table:
    """The table of cases put at a time, with a window of twenty seconds."""
    return cases_at(relation, video, now_us, now_us - LOOK_BACK, now_us + 1)


def cases_at(
    relation: Relation, video: np.ndarray, now_us: np.ndarray, start: np.ndarray, end: np.ndarray
) -> pa.Table:
    """The table of cases of some times and windows."""
    return pa.table({
        "q": pa.array(range(len(video)), pa.int64()),
        "video": [relation.recordings[v].key for v in video.tolist()],
        "window_start_us": pa.array(start, pa.int64()),
        "window_end_us": pa.array(end, pa.int64()),
        "now_us": pa.array(now_us, pa.int64()),
    })  # fmt: skip


def claim_of_sql(row: dict[str, Any], relation: Relation) -> Any:
    """What a struct of a query says, in the form of :func:`transforms.algebra.worlds.force.claim`.

    Labels are codes of the relation.
    """
    if row.get("none") or not row["ok"]:
        return None
    if "lo" in row:
        return row["lo"], row["hi"]
    if "value" in row:
        value = row["value"]
        if isinstance(value, list):
            return tuple(map(relation.codes.known, value))
        return relation.codes.known(value) if isinstance(value, str) else value
    if "a0" in row:
        return _bounds(row)
    if "elements" in row:
        return [_bounds(one) for one in row["elements"]]
    return of_sql(row)


def _bounds(row: dict[str, Any]) -> list[tuple[int, int]]:
    return [(row["a0"], row["a1"]), (row["b0"], row["b1"])]


def of_columns(node: Node, value: Value, i: int, relation: Relation, video: int) -> Any:
    """What the form over columns says of filling i: OPEN, NONE or plain data."""
    base, names = video << SHIFT, relation.codes.name
    if hasattr(value, "none") and value.none[i]:
        return NONE
    if not isinstance(value, Record) and not value.ok[i]:
        return OPEN
    match value:
        case Truth():
            return True if value.yes[i] else False if value.no[i] else None
        case Range():
            shift = base if node.type.name == "instant" else 0
            return tuple(_number(x[i] - shift) for x in (value.lo, value.at, value.hi))
        case Label() if node.type.name == "statement":
            return str(value.code[i])
        case Label():
            return names(int(value.code[i])) or None
        case Stretch():
            return _stretch(value, i, base)
        case One():
            return _fact(value.columns, i, base, names)
        case Box():
            return tuple(round(x, 9) for x in value.xyxy[i].tolist())
        case Group():
            return [names(int(code)) or None for code in value.code[value.filling == i]]
        case Many():
            return True
        case Listed():
            mine = np.flatnonzero(value.facts.filling == i)
            return [_fact(value.facts.columns, k, base, names) for k in mine]
        case Spans():
            return [_stretch(value.span, k, base) for k in np.flatnonzero(value.filling == i)]
    raise TypeError(type(value).__name__)


def _stretch(value: Stretch | Range, i: int, base: int) -> tuple:
    times = (value,) if isinstance(value, Range) else (value.start, value.end)
    return tuple(int(x[i]) - base for one in times for x in (one.lo, one.at, one.hi))


def _fact(columns: dict[str, np.ndarray], i: int, base: int, names: Any) -> tuple:
    return tuple((names(int(columns[name][i])) or None) if name in FACT[:5]
                 else int(columns[name][i]) - base for name in FACT)  # fmt: skip


def of_sql(row: dict[str, Any]) -> Any:
    """The same of a struct of a query."""
    if row.get("none"):
        return NONE
    if not row["ok"]:
        return OPEN
    if "lo" in row:
        return tuple(map(_number, (row["lo"], row["at"], row["hi"])))
    if "value" in row:
        return row["value"]
    if "a0" in row:
        return _span(row)
    if "s0" in row:
        return tuple(row[name] for name in FACT)
    if "x1" in row:
        return tuple(round(row[name], 9) for name in ("x1", "y1", "x2", "y2"))
    if "elements" in row:
        return [_element(one) for one in row["elements"]]
    return True


def _element(row: dict[str, Any]) -> tuple:
    if "a0" in row:
        return _span(row)
    return tuple(row[name] for name in (("lo", "at", "hi") if "lo" in row else FACT))


def _span(row: dict[str, Any]) -> tuple:
    return tuple(row[name] for name in ("a0", "a", "a1", "b0", "b", "b1"))


def _number(x: Any) -> float:
    return round(float(x), 9)

"""Offered values: as columns, so that a condition on each can be tested; certainly false ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import Group, Label, Range, Stretch, Truth, Value
from transforms.algebra.tree import Node
from transforms.algebra.types import Type
from transforms.questions.printers import at_us, number_of
from transforms.timeline.relation import NONE, SHIFT


def ruled_out(
    unless: Node, alias: str, offered: Sequence[Sequence[Any]], of: Type, rows: Rows
) -> list[list[Any]]:
    """Of each row those values of which a condition is certainly false.

    Args:
        alias: how the condition names the value.
        offered: of each row its typed values of the type ``of``.
    """
    filling = np.repeat(np.arange(rows.n), [len(values) for values in offered])
    if not len(filling):
        return [[] for _ in range(rows.n)]
    values = [value for many in offered for value in many]
    inner = rows.inside(filling)
    inner.names[alias] = column(values, of, inner)
    truth = evaluate(unless, inner)
    assert isinstance(truth, Truth)
    out: list[list[Any]] = [[] for _ in range(rows.n)]
    for i, value, is_out in zip(filling.tolist(), values, (truth.no & truth.ok).tolist(),
                                strict=True):  # fmt: skip
        if is_out:
            out[i].append(value)
    return out


def column(values: Sequence[Any], of: Type, rows: Rows) -> Value:
    """Typed values, one a row, as a column; times are exactly what is printed.

    Raises:
        TypeError: values of this type have no column.
    """
    base = rows.video.astype(np.int64) << SHIFT
    match of.name:
        case "instant":
            return Range.exact(base + np.array([at_us(value) for value in values], np.int64))
        case "stretch":
            edges = ([at_us(value[edge]) for value in values] for edge in ("start", "end"))
            start, end = (Range.exact(base + np.array(edge, np.int64)) for edge in edges)
            return Stretch(start, end)
        case "number" | "duration":
            kind = np.float64 if of.name == "number" else np.int64
            return Range.exact(np.array([number_of(value) for value in values], kind))
        case "set" | "sequence":
            filling = np.repeat(np.arange(rows.n), [len(value) for value in values])
            members = [_code(one, rows) for value in values for one in value]
            return Group(filling, np.array(members, np.int64), np.ones(rows.n, bool))
        case "label" | "act" | "word":
            return Label.known(np.array([_code(value, rows) for value in values], np.int64))
    raise TypeError(f"no column of {of}")


def _code(value: Any, rows: Rows) -> int:
    if isinstance(value, dict):  # an act
        value = ",".join(filter(None, (value["verb"], value["target"])))
    return rows.relation.codes.code(value) if value else NONE

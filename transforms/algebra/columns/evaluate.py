"""Evaluation of an expression of a template, for many rows of values at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from surgqa.ontology import processor_time
from surgqa.transforms.algebra.columns.read import read
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.select import select
from surgqa.transforms.algebra.columns.values import (
    OF_EACH_ROW,
    Box,
    Label,
    Range,
    Stretch,
    Truth,
    Value,
    joined,
)
from surgqa.transforms.algebra.operators import form
from surgqa.transforms.algebra.tree import Between, Call, Const, Name, Node, Pattern, Read

Columns = Callable[[Call, Rows], Value]


def evaluate(node: Node, rows: Rows) -> Value:
    """Return the value of an expression in each row, with the information whether it is certain."""
    if isinstance(node, Name):
        return rows.name(node.name)
    return rows.once(node, _computed)


def holds(condition: Node, rows: Rows) -> np.ndarray:
    """Return bool (n,), True where the condition is certainly true."""
    truth = evaluate(condition, rows)
    assert isinstance(truth, Truth)
    return truth.yes & truth.ok


def _computed(node: Node, rows: Rows) -> Value:
    counting = processor_time.running()
    if counting is None:
        return _in_pieces(node, rows)
    with counting.within(node.op if isinstance(node, Call) else STEPS[type(node)]):
        return _in_pieces(node, rows)


STEPS = {Const: "constants", Read: "readers", Between: "stretches", Pattern: "patterns"}
"""Type of a node that is not an operator -> name under which its computing time is reported."""


AT_ONCE = 8192
"""Number of rows for which a pattern's facts are in memory together. At 25 labels a second, the
window of each row may contain hundreds of facts."""


def _in_pieces(node: Node, rows: Rows) -> Value:
    """Return an expression's value, computed for some rows at a time if it chooses among facts."""
    count = -(-rows.n // AT_ONCE)
    if count < 2 or not (isinstance(node, Call) and isinstance(node.get("of"), Pattern)):
        return _value(node, rows)
    first, *rest = np.array_split(np.arange(rows.n), count)
    value = _value(node, rows.take(first))
    if not isinstance(value, OF_EACH_ROW):
        return _value(node, rows)
    return joined([value, *(_value(node, rows.take(piece)) for piece in rest)])


def _value(node: Node, rows: Rows) -> Value:
    match node:
        case Const():
            return _constant(node, rows)
        case Read():
            argument = evaluate(node.argument, rows) if node.argument is not None else None
            return read(evaluate(node.base, rows), node.reader, argument, rows)
        case Between():
            start, end = evaluate(node.start, rows), evaluate(node.end, rows)
            assert isinstance(start, Range) and isinstance(end, Range)
            return Stretch(start, end)
        case Pattern():
            return select(node, rows, evaluate)
        case Call():
            return form_of(node.op)(node, rows)
        case _:
            raise TypeError(f"not an expression of a template: {node!r}")


def _constant(node: Const, rows: Rows) -> Value:
    """Return the value of a literal, the same in all rows."""
    n, name = rows.n, node.type.name
    if name in ("duration", "number", "instant"):
        dtype = np.float64 if name == "number" else np.int64
        return Range.exact(np.full(n, node.value, dtype))
    if name == "box":
        return Box(np.tile(np.array(node.value, np.float64), (n, 1)), np.ones(n, bool),
                   np.zeros(n, bool))  # fmt: skip
    if name == "none":
        return Label.known(np.full(n, -1, np.int64))
    return Label.known(np.full(n, rows.relation.codes.code(str(node.value)), np.int64))


@cache
def form_of(op: str) -> Columns:
    """Return the function that computes an operator with arrays."""
    return form(op, "columns")

"""Decide in which fillings (values for a template's names) a value is certain."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns import values as v
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.tree import Call, Node, Read
from surgqa.transforms.language.program import Program


def certain(program: Program, node: Node, rows: Rows) -> np.ndarray:
    """Return bool (n,), True for each row in which a value is certain.

    A whole number is certain if only one value is possible, a yes/no value if it is known, another
    number or a duration if its bounds are not farther apart than :func:`_leeway`.
    """
    value = evaluate(node, rows)
    if isinstance(value, v.Truth):
        return value.ok & (value.yes | value.no)
    if not isinstance(value, v.Range) or node.type.name == "instant":
        return v.defined(value)
    apart = value.hi.astype(np.float64) - value.lo
    most = 0.0 if _is_counted(node, program) else _leeway(value.at, node.type.name)
    return v.defined(value) & ((apart <= most) | value.none)


def _leeway(at: np.ndarray, name: str) -> np.ndarray:
    """Return the greatest distance of a value's bounds, float64 (n,): the value itself or FLOOR."""
    return np.maximum(np.abs(at.astype(np.float64)), FLOOR[name])


FLOOR = {"duration": 2_000_000.0, "number": 0.2}
"""Distance that bounds may always have: at one label a second, each end is known to a second."""


def _is_counted(node: Node, program: Program) -> bool:
    """True if a value is a whole number; it is certain only if one number is possible."""
    node = program.meant(node)
    if isinstance(node, Read):
        return node.reader == "size"
    return isinstance(node, Call) and node.op in ("count", "peak")

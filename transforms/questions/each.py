"""Enumerating fillings: one row for each element of what `each` draws."""

from __future__ import annotations

import numpy as np

from ontology.keys import mix64
from transforms.algebra.columns import values as v
from transforms.algebra.columns.codes import value_codes
from transforms.algebra.columns.rows import Rows
from transforms.algebra.operators.each.fillings import fillings, twos
from transforms.algebra.tree import Call, Step


def enumerated(step: Step, rows: Rows) -> Rows:
    """The rows once for every element of a step, which its names then stand for."""
    assert isinstance(step.node, Call)
    index, value = fillings(step.node, rows)
    if len(step.names) == 1:
        return rows.inside(index, **{step.names[0]: value})
    return _pairs(step.names, index, value, rows, isinstance(step.node.get("of"), tuple))


def _pairs(
    names: tuple[str, ...], index: np.ndarray, value: v.Value, rows: Rows, written: bool
) -> Rows:
    """Unordered pairs of different elements of one row.

    Args:
        written: the elements stand in the template, so which of two comes first is drawn.
    """
    left, right = twos(index, rows.n)
    if written:
        codes = value_codes(value, rows.inside(index))
        swapped = mix64(codes[left] ^ mix64(codes[right])) % np.uint64(2) == 1
        left, right = np.where(swapped, right, left), np.where(swapped, left, right)
    return rows.inside(
        index[left], **{names[0]: v.gathered(value, left), names[1]: v.gathered(value, right)}
    )

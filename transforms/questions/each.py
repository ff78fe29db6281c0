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
    """The rows once for every element of a step, which its names then stand for.

    Two names are an unordered pair of different elements of one row; where these stand in the
    template, which of the two comes first is drawn.
    """
    assert isinstance(step.node, Call)
    index, value = fillings(step.node, rows)
    if len(step.names) == 1:
        return rows.inside(index, **{step.names[0]: value})
    left, right = twos(index, rows.n)
    if isinstance(step.node.get("of"), tuple):
        codes = value_codes(value, rows.inside(index))
        swapped = mix64(codes[left] ^ mix64(codes[right])) % np.uint64(2) == 1
        left, right = np.where(swapped, right, left), np.where(swapped, left, right)
    both = zip(step.names, (left, right), strict=True)
    return rows.inside(index[left], **{name: v.gathered(value, one) for name, one in both})

"""Find the values of a list for which a condition is certainly false."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.typed import column
from surgqa.transforms.algebra.columns.values import Truth
from surgqa.transforms.algebra.tree import Node
from surgqa.transforms.algebra.types import Type


def ruled_out(
    unless: Node, alias: str, offered: Sequence[Sequence[Any]], of: Type, rows: Rows
) -> list[list[Any]]:
    """Return, for each row, the offered values for which the condition is certainly false.

    Args:
        alias: the name of the value in the condition.
        offered: for each row, its typed values of the type ``of``.
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

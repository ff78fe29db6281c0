"""Equality of what may be an array, for records that hold some."""

from __future__ import annotations

from typing import Any


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal; of arrays, in shape and in every element, NaN like NaN."""
    import numpy as np  # takes longer than a list of the command line may, which needs no array

    if not isinstance(one, np.ndarray):
        return bool(one == other)
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")

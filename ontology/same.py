"""Compare values that may be arrays, for records that contain arrays."""

from __future__ import annotations

from typing import Any


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal; arrays: same shape and elements, NaN equals NaN."""
    import numpy as np  # a slow import that most commands do not need

    if not isinstance(one, np.ndarray):
        return bool(one == other)
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")

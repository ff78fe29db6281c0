"""Kinematics over candidate intervals: ranges, path lengths, mean speeds."""

from __future__ import annotations

import numpy as np

from ontology.times import SECOND_US
from transforms.windows import View


def mean_speed(view: View, tool, first, last) -> np.ndarray:
    """float64 (R,): path length over duration between the samples first and last."""
    length = view.path[tool, last] - view.path[tool, first]
    time = view.sample_time[tool, last] - view.sample_time[tool, first]
    return length / (np.maximum(time, 1) / SECOND_US)


def centre_range(view: View, tool, first, last, axis) -> np.ndarray:
    """float64 (R,): largest minus smallest centre coordinate over the samples first..last.

    Args:
        axis: int (R,), 0 across, 1 down.  Samples without a box are passed over.
    """
    low = np.full(len(tool), np.inf)
    high = np.full(len(tool), -np.inf)
    order = np.argsort(last - first, kind="stable")
    lengths = (last - first)[order]
    for offset in range(int(lengths.max(initial=-1)) + 1):
        use = order[np.searchsorted(lengths, offset) :]
        value = view.centre[tool[use], first[use] + offset, axis[use]]
        low[use] = np.fmin(low[use], value)
        high[use] = np.fmax(high[use], value)
    return np.where(np.isfinite(low), high - low, 0.0)

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

    Range minima and maxima from tables over stretches of 1, 2, 4 … samples: two look-ups
    an interval instead of a walk along it.

    Args:
        axis: int (R,), 0 across, 1 down.  Samples without a box are passed over.
    """
    level = np.frexp(np.maximum(last - first + 1, 1))[1] - 1
    lows, highs = _stretch_tables(view.centre, int(level.max(initial=0)))
    start = last - (1 << level) + 1
    low = np.fmin(lows[level, tool, first, axis], lows[level, tool, start, axis])
    high = np.fmax(highs[level, tool, first, axis], highs[level, tool, start, axis])
    return np.where(np.isnan(low), 0.0, high - low)


def _stretch_tables(values: np.ndarray, levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Minimum and maximum over ``2 ** k`` samples from each on: (levels + 1, M, S, 2) each."""
    lows, highs = [values], [values]
    for k in range(levels):
        shift = 1 << k
        low, high = lows[-1].copy(), highs[-1].copy()
        low[:, :-shift] = np.fmin(low[:, :-shift], lows[-1][:, shift:])
        high[:, :-shift] = np.fmax(high[:, :-shift], highs[-1][:, shift:])
        lows.append(low)
        highs.append(high)
    return np.stack(lows), np.stack(highs)

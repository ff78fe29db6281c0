"""Intervals of shares whose items come in clusters (surgeries)."""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.special import stdtrit


def share_interval(credit: np.ndarray, group: np.ndarray) -> tuple[float, float] | None:
    """95 % Wilson interval with the effective sample size of clustered items.

    The effective size is the number of independent items with the same variance as the clustered
    mean, at most the number of items (Korn and Graubard 1998). The quantile is Student's t with
    one degree of freedom less than clusters.

    Args:
        credit: (n) in [0, 1].
        group: int64 (n) number of each item's cluster.

    Returns:
        None with fewer than two clusters.
    """
    found = _spread(credit, group)
    if found is None:
        return None
    clusters, variance = found
    p, n = float(credit.mean()), len(credit)
    alone = p * (1 - p)
    size = min(n, alone / variance) if variance > 0 and alone > 0 else float(n)
    t = float(stdtrit(clusters - 1, 0.975))
    middle = (p + t * t / (2 * size)) / (1 + t * t / size)
    half = t / (1 + t * t / size) * sqrt(alone / size + t * t / (4 * size * size))
    return max(0.0, middle - half), min(1.0, middle + half)


def lower_bound(excess: np.ndarray, group: np.ndarray, tests: int = 1) -> float | None:
    """Lower end of the 95 % interval of a mean over clustered items; None with one cluster.

    Args:
        excess: float64 (n) values.
        group: int64 (n) cluster of each item.
        tests: number of bounds that are to hold together (Bonferroni).
    """
    found = _spread(excess, group)
    if found is None:
        return None
    clusters, variance = found
    return float(excess.mean() - stdtrit(clusters - 1, 1 - 0.025 / tests) * sqrt(variance))


def _spread(values: np.ndarray, group: np.ndarray) -> tuple[int, float] | None:
    """Number of clusters, and the cluster-robust variance of the mean; None with one cluster."""
    sums = np.bincount(group, values - values.mean())
    clusters = int(np.count_nonzero(np.bincount(group)))
    if clusters < 2:
        return None
    return clusters, float((sums**2).sum()) / len(values) ** 2 * clusters / (clusters - 1)

"""Confidence intervals of shares whose items are clustered by surgery."""

from __future__ import annotations

from math import sqrt

import numpy as np


def share_interval(
    credit: np.ndarray, group: np.ndarray, weight: np.ndarray | None = None
) -> tuple[float, float] | None:
    """Return the 95 % Wilson interval of a share whose items are clustered.

    The sample size in Wilson's formula is the number of independent items that would give the same
    variance as the clustered mean, at most the number of items (Korn and Graubard 1998). The
    quantile is that of Student's t with (number of clusters - 1) degrees of freedom.

    Args:
        credit: (n) share in [0, 1] of each item that counts as correct.
        group: int64 (n) number of each item's cluster.
        weight: (n) weight of each item; equal if not given.

    Returns:
        (low, high); None with fewer than two clusters.
    """
    weight = np.ones(len(credit)) if weight is None else weight
    found = _spread(credit, group, weight)
    if found is None:
        return None
    clusters, variance = found
    p = float(np.average(credit, weights=weight))
    n, alone = float(weight.sum() ** 2 / (weight**2).sum()), p * (1 - p)
    size = min(n, alone / variance) if variance > 0 and alone > 0 else n
    t = _quantile(clusters - 1, 0.975)
    middle = (p + t * t / (2 * size)) / (1 + t * t / size)
    half = t / (1 + t * t / size) * sqrt(alone / size + t * t / (4 * size * size))
    return max(0.0, middle - half), min(1.0, middle + half)


def lower_bound(
    excess: np.ndarray, group: np.ndarray, tests: int = 1, weight: np.ndarray | None = None
) -> float | None:
    """Return the lower end of the 95 % interval of a clustered mean; None with one cluster.

    Args:
        excess: float64 (n) values.
        group: int64 (n) cluster of each item.
        tests: number of bounds that must be right at the same time (Bonferroni correction).
        weight: (n) weight of each item; equal if not given.
    """
    weight = np.ones(len(excess)) if weight is None else weight
    found = _spread(excess, group, weight)
    if found is None:
        return None
    clusters, variance = found
    return float(
        np.average(excess, weights=weight)
        - _quantile(clusters - 1, 1 - 0.025 / tests) * sqrt(variance)
    )


def _spread(values: np.ndarray, group: np.ndarray, weight: np.ndarray) -> tuple[int, float] | None:
    """Return the number of clusters and the cluster-robust variance; None with one cluster."""
    sums = np.bincount(group, weight * (values - np.average(values, weights=weight)))
    clusters = int(np.count_nonzero(np.bincount(group)))
    if clusters < 2:
        return None
    return clusters, float((sums**2).sum()) / float(weight.sum()) ** 2 * clusters / (clusters - 1)


def _quantile(freedom: int, p: float) -> float:
    """Return the p-quantile of Student's t distribution."""
    from scipy.special import stdtrit  # takes half a second, so imported only here

    return float(stdtrit(freedom, p))

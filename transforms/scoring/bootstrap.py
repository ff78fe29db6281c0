"""Confidence intervals from resampling videos, with draws that depend only on a key.

Scores of questions about the same video are correlated, so whole videos are drawn with
replacement (cluster bootstrap, percentile interval).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontology.keys import h64
from ontology.mixing import mix64

LEVEL = 0.95


def draw_counts(videos: int, replicates: int, seed: str) -> np.ndarray:
    """Return how often each video is drawn: int64 (replicates, videos); rows sum to videos."""
    key = np.uint64(h64("surgqa/score-v1", "bootstrap", seed))
    counts = np.empty((replicates, videos), dtype=np.int64)
    for replicate in range(replicates):
        first = replicate * videos
        places = np.arange(first, first + videos, dtype=np.uint64)
        draws = (mix64(places ^ key) >> np.uint64(32)) * np.uint64(videos) >> np.uint64(32)
        counts[replicate] = np.bincount(draws.astype(np.int64), minlength=videos)
    return counts


def ratios(numerators: np.ndarray, denominators: np.ndarray) -> np.ndarray:
    """Return the elementwise quotient, NaN where the denominator is 0."""
    out = np.full(np.shape(numerators), np.nan)
    return np.divide(numerators, denominators, out=out, where=denominators != 0)


def mean_of_stated(columns: np.ndarray) -> np.ndarray:
    """Return row means of (rows, columns) over the columns that are not NaN, NaN if all are."""
    known = ~np.isnan(columns)
    return ratios(np.where(known, columns, 0.0).sum(axis=1), known.sum(axis=1))


def interval(estimates: np.ndarray, videos: int) -> tuple[float, float] | None:
    """Return the 2.5th and 97.5th percentile of the replicates; None for fewer than 2 videos."""
    known = estimates[~np.isnan(estimates)]
    if videos < 2 or not known.size:
        return None
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(known, (tail, 1 - tail))
    return float(low), float(high)


def interval_of_mean(
    values: Sequence[tuple[str, float]], replicates: int, seed: str
) -> tuple[float, float] | None:
    """Return the interval of the mean of (video, value) pairs; None if there is only one video."""
    return drawn_means(values, replicates, seed)[0]


def drawn_means(
    values: Sequence[tuple[str, float]], replicates: int, seed: str
) -> tuple[tuple[float, float] | None, np.ndarray]:
    """Return the interval of the mean, and the mean of each draw as float64 (replicates,)."""
    videos = sorted({video for video, _ in values})
    place = {video: index for index, video in enumerate(videos)}
    rows = np.array([place[video] for video, _ in values])
    total = np.bincount(rows, weights=[value for _, value in values], minlength=len(videos))
    count = np.bincount(rows, minlength=len(videos))
    draws = draw_counts(len(videos), replicates, seed).astype(np.float64)
    means = ratios(draws @ total, draws @ count)
    return interval(means, len(videos)), means

"""Confidence intervals from resampling videos, and the comparison of models on the same items.

Scores of questions about the same video are correlated, so whole videos are drawn with replacement
(cluster bootstrap, percentile interval). The draws depend only on a key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from surgqa.ontology.keys import h64
from surgqa.ontology.mixing import mix64
from surgqa.transforms.scoring.reporting import Interval, mean, percent, plain, span

LEVEL = 0.95


def draw_counts(videos: int, replicates: int, seed: str) -> np.ndarray:
    """Return how often each video is drawn: int64 (replicates, videos)."""
    key = np.uint64(h64("surgqa/score-v1", "bootstrap", seed))
    counts = np.empty((replicates, videos), dtype=np.int64)
    for replicate in range(replicates):
        first = replicate * videos
        places = np.arange(first, first + videos, dtype=np.uint64)
        draws = (mix64(places ^ key) >> np.uint64(32)) * np.uint64(videos) >> np.uint64(32)
        counts[replicate] = np.bincount(draws.astype(np.int64), minlength=videos)
    return counts


def ratios(numerators: np.ndarray, denominators: np.ndarray) -> np.ndarray:
    """Return the elementwise quotients; NaN where the denominator is 0."""
    out = np.full(np.shape(numerators), np.nan)
    return np.divide(numerators, denominators, out=out, where=denominators != 0)


def mean_of_stated(columns: np.ndarray) -> np.ndarray:
    """Return the mean of each row over the columns that are not NaN; NaN if all are NaN."""
    known = ~np.isnan(columns)
    return ratios(np.where(known, columns, 0.0).sum(axis=1), known.sum(axis=1))


def interval(estimates: np.ndarray, videos: int) -> Interval:
    """Return the 2.5th and 97.5th percentiles of the draws; None for fewer than two videos."""
    known = estimates[~np.isnan(estimates)]
    if videos < 2 or not known.size:
        return None
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(known, (tail, 1 - tail))
    return float(low), float(high)


def interval_of_mean(values: Sequence[tuple[str, float]], replicates: int, seed: str) -> Interval:
    """Return the interval of the mean of (video, value) pairs; None if there is only one video."""
    return VideoDraws((video for video, _ in values), replicates, seed).mean(values)[0]


class VideoDraws:
    """Bootstrap draws of whole videos, from which intervals of several measures are computed.

    Args:
        videos: the videos of the items, in any order and with repetitions.
        replicates: number of draws.
        seed: key of the draws.
    """

    def __init__(self, videos: Iterable[str], replicates: int, seed: str) -> None:
        self._place = {video: k for k, video in enumerate(sorted(set(videos)))}
        self._counts = draw_counts(len(self._place), replicates, seed).astype(np.float64)

    def quotient(
        self, videos: Sequence[str], above: Sequence[float], below: Sequence[float]
    ) -> tuple[float | None, Interval, np.ndarray]:
        """Return sum(above) / sum(below), its interval, and the quotient in each draw.

        Args:
            videos: the video of each item.
            above, below: a value of each item, in the same order.
        """
        rows = np.array([self._place[video] for video in videos], dtype=np.int64)
        sums = [np.bincount(rows, values, len(self._place)) for values in (above, below)]
        drawn = ratios(*(self._counts @ one for one in sums))
        total = float(sums[0].sum() / sums[1].sum()) if sums[1].sum() else None
        return total, interval(drawn, len(set(videos))), drawn

    def mean(self, values: Sequence[tuple[str, float]]) -> tuple[Interval, np.ndarray]:
        """Return the interval of the mean of (video, value) pairs, and the mean in each draw."""
        scores = [value for _, value in values]
        return self.quotient([video for video, _ in values], scores, [1.0] * len(scores))[1:]


Scores = Mapping[str, float]
"""Item id -> score in [0, 1]."""
HEAD = ("model", "items", "mean", "95% interval")
FEWEST = 6
"""Fewest videos for a p-value: if a model is better in all of five, p is at least 1/16."""
PAIRED = ("model", "against", "items", "difference", "95% interval", "p")


@dataclass(frozen=True, slots=True)
class ModelInterval:
    """The mean score of one model's items, with its interval."""

    model: str
    items: int
    mean: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class PairedModels:
    """Two models, compared on the items that both answered.

    Attributes:
        difference: mean score of the first model minus mean score of the second.
        p: two-sided p-value: share of draws whose difference is at least |difference| away from the
            observed difference; None with fewer than :data:`FEWEST` videos.
    """

    model: str
    against: str
    items: int
    difference: float
    interval: Interval
    p: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of all models and of all pairs of models."""

    lines: tuple[ModelInterval, ...]
    pairs: tuple[PairedModels, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON; numbers are rounded to six decimals."""
        return {"models": plain(self.lines), "pairs": plain(self.pairs)}

    def tables(self) -> Iterator[list[list[str]]]:
        """Yield the tables to print, header first: the models, then the pairs, if any."""
        yield [list(HEAD), *([one.model, str(one.items), percent(one.mean), span(one.interval)]
                             for one in self.lines)]  # fmt: skip
        if self.pairs:
            yield [list(PAIRED), *(
                [one.model, one.against, str(one.items), percent(one.difference),
                 span(one.interval), "-" if one.p is None else f"{one.p:.3f}"]
                for one in self.pairs)]  # fmt: skip


def compare(
    models: Mapping[str, Scores], videos: Mapping[str, str], replicates: int = 1000, seed: str = "0"
) -> Comparison:
    """Return the comparison of the models; the same bootstrap draws are used for all.

    Args:
        models: for each model, by name, its scores.
        videos: for each item id, the name of the item's video.
    """
    lines = [
        ModelInterval(
            name, len(mine), mean(mine.values()) or 0.0, _drawn(mine, videos, replicates, seed)[0]
        )
        for name, mine in models.items()
    ]
    pairs = [_paired(one, other, models, videos, replicates, seed)
             for one, other in combinations(models, 2)]  # fmt: skip
    return Comparison(tuple(lines), tuple(pairs))


def _paired(
    one: str, other: str, models: Mapping[str, Scores], videos: Mapping[str, str],
    replicates: int, seed: str,
) -> PairedModels:  # fmt: skip
    both = sorted(set(models[one]) & set(models[other]))
    off = {name: models[one][name] - models[other][name] for name in both}
    middle = mean(off.values()) or 0.0
    ends, draws = _drawn(off, videos, replicates, seed)
    p = None
    if len({videos[name] for name in both}) >= FEWEST:
        p = float(np.mean(np.abs(draws - middle) >= abs(middle) - 1e-12))
    return PairedModels(one, other, len(both), middle, ends, p)


def _drawn(
    scores: Scores, videos: Mapping[str, str], replicates: int, seed: str
) -> tuple[Interval, np.ndarray]:
    """Return the interval of a model's mean score, and the mean in each draw."""
    if not scores:
        return None, np.zeros(0)
    values = [(videos[name], scores[name]) for name in sorted(scores)]
    return VideoDraws((video for video, _ in values), replicates, seed).mean(values)

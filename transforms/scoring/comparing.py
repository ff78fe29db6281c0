"""Compare models on the same items: each model's score and interval, and each pair's difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from transforms.scoring.bootstrap import drawn_means
from transforms.scoring.reporting import Interval, mean, percent, plain, span

Scores = Mapping[str, float]
"""Item id -> score in [0, 1]."""
HEAD = ("model", "items", "mean", "95% interval")
PAIRED = ("model", "against", "items", "difference", "95% interval", "p")


@dataclass(frozen=True, slots=True)
class Line:
    """One model: the mean score of its items, with its interval from drawing whole videos."""

    model: str
    items: int
    mean: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Paired:
    """Two models, compared on the items that both answered.

    Attributes:
        difference: mean of the first model's score minus the second's.
        p: two-sided p-value: share of draws that differ from the mean difference by at least
            its absolute value; None with fewer than two videos.
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

    lines: tuple[Line, ...]
    pairs: tuple[Paired, ...]

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
        models: name of a model -> its scores.
        videos: item id -> name of the item's video.
    """
    lines = [
        Line(name, len(mine), mean(mine.values()) or 0.0, _drawn(mine, videos, replicates, seed)[0])
        for name, mine in models.items()
    ]
    pairs = [_paired(one, other, models, videos, replicates, seed)
             for one, other in combinations(models, 2)]  # fmt: skip
    return Comparison(tuple(lines), tuple(pairs))


def _paired(
    one: str, other: str, models: Mapping[str, Scores], videos: Mapping[str, str],
    replicates: int, seed: str,
) -> Paired:  # fmt: skip
    both = sorted(set(models[one]) & set(models[other]))
    off = {name: models[one][name] - models[other][name] for name in both}
    middle = mean(off.values()) or 0.0
    ends, draws = _drawn(off, videos, replicates, seed)
    p = None
    if ends is not None:
        p = float(np.mean(np.abs(draws - middle) >= abs(middle) - 1e-12))
    return Paired(one, other, len(both), middle, ends, p)


def _drawn(
    scores: Scores, videos: Mapping[str, str], replicates: int, seed: str
) -> tuple[Interval, np.ndarray]:
    """Return the interval of the mean, and the mean of each draw as float64 (replicates,)."""
    if not scores:
        return None, np.zeros(0)
    return drawn_means([(videos[name], scores[name]) for name in sorted(scores)], replicates, seed)

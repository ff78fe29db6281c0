"""Compare models on the same items: each model's score and interval, and each pair's difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from transforms.scoring.bootstrap import draw_counts, interval, ratios

Interval = tuple[float, float] | None
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
        return {"models": [_plain(asdict(one)) for one in self.lines],
                "pairs": [_plain(asdict(one)) for one in self.pairs]}  # fmt: skip

    def tables(self) -> Iterator[list[list[str]]]:
        """Yield the tables to print, header first: the models, then the pairs, if any."""
        yield [list(HEAD), *([one.model, str(one.items), _percent(one.mean), _told(one.interval)]
                             for one in self.lines)]  # fmt: skip
        if self.pairs:
            yield [list(PAIRED), *(
                [one.model, one.against, str(one.items), _percent(one.difference),
                 _told(one.interval), "-" if one.p is None else f"{one.p:.3f}"]
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
        Line(name, len(mine), _mean(list(mine.values())), _drawn(mine, videos, replicates, seed)[0])
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
    mean = _mean(list(off.values()))
    ends, draws = _drawn(off, videos, replicates, seed)
    p = None
    if ends is not None:
        p = float(np.mean(np.abs(draws - mean) >= abs(mean) - 1e-12))
    return Paired(one, other, len(both), mean, ends, p)


def _drawn(
    scores: Scores, videos: Mapping[str, str], replicates: int, seed: str
) -> tuple[Interval, np.ndarray]:
    """Return the interval of the mean, and the mean of each draw as float64 (replicates,)."""
    if not scores:
        return None, np.zeros(0)
    names = sorted(scores)
    known = sorted({videos[name] for name in names})
    place = {video: number for number, video in enumerate(known)}
    rows = np.array([place[videos[name]] for name in names], dtype=np.int64)
    total = np.bincount(rows, weights=[scores[name] for name in names], minlength=len(known))
    count = np.bincount(rows, minlength=len(known))
    draws = draw_counts(len(known), replicates, seed).astype(np.float64)
    means = ratios(draws @ total, draws @ count)
    return interval(means, len(known)), means


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _plain(entry: dict[str, Any]) -> dict[str, Any]:
    def rounded(value: Any) -> Any:
        if isinstance(value, tuple):
            return [round(one, 6) for one in value]
        return round(value, 6) if isinstance(value, float) else value

    return {name: rounded(value) for name, value in entry.items()}


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


def _told(ends: Interval) -> str:
    return f"{_percent(ends[0])} to {_percent(ends[1])}" if ends else "-"

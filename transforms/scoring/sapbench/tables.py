"""Compute Sample-S, Video-S, Sample-R and Video-R from marks, with intervals by video."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from ontology.times import round_half_up
from transforms.scoring.bootstrap import draw_counts, interval, ratios
from transforms.scoring.sapbench.marks import RANKS, Mark

MEASURES = ("sample_s", "video_s", "sample_r", "video_r")
TITLES = {
    "sample_s": "Sample-S", "video_s": "Video-S", "sample_r": "Sample-R", "video_r": "Video-R",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Share:
    """A share at one rank.

    Attributes:
        measure: one of :data:`MEASURES`, or ``exact`` or ``place`` for plans.
        k: the rank, or the place in a plan; 0 for ``exact``.
        hits: sum of the items' hits, or of the videos' shares.
        of: number of items or videos; relaxed measures count only those with a following action.
        interval: 95 % bootstrap interval in [0, 1]; None with fewer than two videos.
    """

    measure: str
    k: int
    hits: Fraction
    of: int
    interval: tuple[float, float] | None = None

    @property
    def value(self) -> Fraction | None:
        """The share in [0, 1]; None if ``of`` is 0."""
        return self.hits / self.of if self.of else None

    @property
    def percent(self) -> Decimal | None:
        """The share in percent with two decimals, rounded half up."""
        return None if self.value is None else percent(self.value)


@dataclass(frozen=True, slots=True)
class Draws:
    """Bootstrap draws over the videos of a set of items; 0 replicates mean no intervals."""

    replicates: int
    seed: str


NO_DRAWS = Draws(0, "")


def shares(marks: Sequence[Mark], draws: Draws = NO_DRAWS) -> tuple[Share, ...]:
    """Return every measure at every rank, in the order of :data:`MEASURES`."""
    videos = sorted({mark.video for mark in marks})
    counts = draw_counts(len(videos), draws.replicates, draws.seed) if draws.replicates else None
    out = []
    for measure in MEASURES:
        relaxed = measure.endswith("_r")
        for at, k in enumerate(RANKS):
            sums = {video: (Fraction(0), 0) for video in videos}
            for mark in marks:
                hits = mark.relaxed if relaxed else mark.strict
                if hits is not None:
                    total, n = sums[mark.video]
                    sums[mark.video] = (total + hits[at], n + 1)
            out.append(_share(measure, k, [sums[video] for video in videos], counts))
    return tuple(out)


def _share(
    measure: str, k: int, sums: Sequence[tuple[Fraction, int]], counts: np.ndarray | None
) -> Share:
    """Return the share of a measure from the (hits, items) of each video."""
    if measure.startswith("video"):
        sums = [(total / n, 1) if n else (Fraction(0), 0) for total, n in sums]
    hits, of = sum((total for total, _ in sums), Fraction(0)), sum(n for _, n in sums)
    return Share(measure, k, hits, of, None if counts is None else _interval(sums, counts))


def _interval(
    sums: Sequence[tuple[Fraction, int]], counts: np.ndarray
) -> tuple[float, float] | None:
    hits = np.array([float(total) for total, _ in sums])
    of = np.array([n for _, n in sums], dtype=np.float64)
    return interval(ratios(counts @ hits, counts @ of), int((of > 0).sum()))


def percent(value: Fraction) -> Decimal:
    """Return percent with two decimals, rounded half up: 235/679 gives 34.61."""
    return Decimal(round_half_up(value * 10_000)).scaleb(-2)

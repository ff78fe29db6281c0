"""From marks to Sample-S, Video-S, Sample-R and Video-R, with intervals by video."""

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
        measure: one of :data:`MEASURES`.
        k: the rank.
        hits: sum of hits over the items, or of the videos' shares over the videos.
        of: items, or videos, that count; relaxed measures leave out those with nothing after.
        interval: 95 % bootstrap interval in [0, 1]; None with fewer than two videos.
    """

    measure: str
    k: int
    hits: Fraction
    of: int
    interval: tuple[float, float] | None = None

    @property
    def value(self) -> Fraction | None:
        """In [0, 1]; None where nothing counts."""
        return self.hits / self.of if self.of else None

    @property
    def percent(self) -> Decimal | None:
        """With two decimals, halves up."""
        return None if self.value is None else percent(self.value)


@dataclass(frozen=True, slots=True)
class Draws:
    """Bootstrap draws over the videos of one set of items; replicates 0 for none."""

    replicates: int
    seed: str


NO_DRAWS = Draws(0, "")


def shares(marks: Sequence[Mark], draws: Draws = NO_DRAWS) -> tuple[Share, ...]:
    """Every measure at every rank, measures in order."""
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
    """The share of a measure from each video's (hits, items)."""
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
    """Hundredths with two decimals, halves up: 235/679 is 34.61."""
    return Decimal(round_half_up(value * 10_000)).scaleb(-2)

"""Error types, the paired comparison of prompts, and how means vary over samples and stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np

from ontology.continuations import BASELINE, DIMENSIONS, ERROR_TYPES, STAGE_AWARE, ScoreRow
from ontology.errors import UserError
from transforms.review.agreement import agreement, icc_2_1, squared
from transforms.scoring.bootstrap import draw_counts, interval
from transforms.scoring.surgveo.cells import (
    CellKey,
    Scores,
    print_fraction,
    same_raters,
    scores_by_cell,
    violin_points,
)


@dataclass(frozen=True, slots=True)
class ErrorShares:
    """The error marks of one track.

    Attributes:
        counts: type -> number of marks.  A rater marks a type of error in a video at most once.
    """

    track: str
    counts: Mapping[str, int]

    @property
    def marks(self) -> int:
        return sum(self.counts.values())

    def share(self, name: str) -> Fraction:
        """Return the share of all marks; 0 if there are none."""
        return Fraction(self.counts[name], self.marks) if self.marks else Fraction(0)

    def printed(self, name: str) -> str:
        """Return percent with one decimal, half to even, as the paper prints 4 of 64 as 6.2."""
        return print_fraction(Fraction(round(self.share(name) * 1000), 10), 1)


def error_shares(rows: Iterable[ScoreRow], prompt: str = BASELINE) -> list[ErrorShares]:
    """Return the marks by track under one prompt; the published chart shows the baseline."""
    marks: dict[str, set[tuple[str, str, str]]] = {}
    for row in rows:
        if row.prompt == prompt:
            mine = marks.setdefault(row.track, set())
            mine.update((row.sample_id, row.rater_id, name) for name in row.error_types)
    out = []
    for track, found in sorted(marks.items()):
        counts = Counter(name for _, _, name in found)
        out.append(ErrorShares(track, {name: counts[name] for name in ERROR_TYPES}))
    return out


@dataclass(frozen=True, slots=True)
class Paired:
    """The comparison of the two prompts in one cell.

    Attributes:
        differences: sample -> stage-aware minus baseline, each a mean over raters.
        better, worse: number of samples with a positive and with a negative difference.
        p: two-sided p-value of the sign test; ties are left out.
    """

    track: str
    time_s: int
    dimension: str
    differences: dict[str, Fraction]
    better: int
    worse: int
    p: Fraction

    @property
    def ties(self) -> int:
        return len(self.differences) - self.better - self.worse

    @property
    def mean(self) -> Fraction:
        return sum(self.differences.values(), Fraction(0)) / len(self.differences)


def sign_test(better: int, worse: int) -> Fraction:
    """Return the probability of a split at least as uneven if both signs are equally likely."""
    n, few = better + worse, min(better, worse)
    return min(Fraction(1), Fraction(2 * sum(comb(n, k) for k in range(few + 1)), 2**n))


def paired(rows: Iterable[ScoreRow]) -> list[Paired]:
    """Return the comparison of every track, time and dimension, in the order of the table.

    Raises:
        UserError: raters differ, or a sample was scored under only one prompt.
    """
    scores = scores_by_cell(rows)
    same_raters(scores)
    out = []
    for (track, prompt, time_s, dimension), cell in scores.items():
        other = scores.get((track, STAGE_AWARE, time_s, dimension))
        if prompt != BASELINE or other is None:
            continue
        before, after = violin_points(cell), violin_points(other)
        single = sorted(set(before) ^ set(after))
        if single:
            raise UserError(
                "a sample was scored under one prompt only", expected="a score under both",
                found=", ".join(single[:3]), where=f"{track}, {dimension} at {time_s} s",
                fix="have the other video of the sample scored as well",
            )  # fmt: skip
        differences = {one: after[one] - before[one] for one in before}
        better = sum(d > 0 for d in differences.values())
        worse = sum(d < 0 for d in differences.values())
        p = sign_test(better, worse)
        out.append(Paired(track, time_s, dimension, differences, better, worse, p))
    return out


REPLICATES = 2000


def cell_intervals(
    rows: Iterable[ScoreRow], seed: str, replicates: int = REPLICATES
) -> dict[CellKey, tuple[float, float] | None]:
    """Return 95 % intervals of the cells' means, from drawing samples with replacement.

    The same samples are drawn for all cells of a track.

    Raises:
        UserError: see :func:`transforms.scoring.surgveo.cells.cells`.
    """
    scores = scores_by_cell(rows)
    same_raters(scores)
    out: dict[CellKey, tuple[float, float] | None] = {}
    draws: dict[tuple[str, int], np.ndarray] = {}
    for key, cell in scores.items():
        sums = np.array([list(mine.values()) for mine in cell.values()], dtype=np.int64).sum(axis=0)
        n = len(sums)
        if (key[0], n) not in draws:
            draws[key[0], n] = draw_counts(n, replicates, f"{seed}/{key[0]}")
        estimates = (draws[key[0], n] @ sums) / (n * len(cell))
        out[key] = interval(estimates, n)
    return out


def stage_means(
    rows: Iterable[ScoreRow], stages: Mapping[str, str]
) -> dict[CellKey, dict[str, tuple[Fraction, int]]]:
    """Return for each cell and stage its mean and number of samples; stages are sorted.

    Args:
        stages: sample -> stage.

    Raises:
        UserError: a sample has no known stage; see also :func:`.cells.cells`.
    """
    scores = scores_by_cell(rows)
    same_raters(scores)
    out = {}
    for key, cell in scores.items():
        points: dict[str, list[Fraction]] = {}
        for sample, mean in violin_points(cell).items():
            if sample not in stages:
                raise UserError(
                    "the stage of a sample is not known", expected="a stage for every sample",
                    found=sample, fix="give the samples' file that the sheets were made from",
                )  # fmt: skip
            points.setdefault(stages[sample], []).append(mean)
        out[key] = {
            stage: (sum(found, Fraction(0)) / len(found), len(found))
            for stage, found in sorted(points.items())
        }
    return out


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """The agreement of a track's raters in one dimension, over prompts and times.

    Attributes:
        n: number of videos x number of times.
        kappa: pair of raters -> quadratic-weighted kappa, None if undefined.
        icc: ICC(2,1), None if undefined.
    """

    track: str
    dimension: str
    n: int
    kappa: Mapping[tuple[str, str], Fraction | None]
    icc: Fraction | None


def rater_agreement(rows: Iterable[ScoreRow]) -> list[RaterAgreement]:
    """Return the agreement by track and dimension.

    Raises:
        UserError: see :func:`transforms.scoring.surgveo.cells.cells`.
    """
    scores = scores_by_cell(rows)
    same_raters(scores)
    order = [(track, d) for track in dict.fromkeys(key[0] for key in scores) for d in DIMENSIONS]
    return [one for track, d in order if (one := _of(track, d, scores)) is not None]


def _of(track: str, dimension: str, scores: Mapping[CellKey, Scores]) -> RaterAgreement | None:
    found = [cell for key, cell in scores.items() if (key[0], key[3]) == (track, dimension)]
    if not found:
        return None
    raters = list(found[0])
    columns = [[x for cell in found for x in cell[rater].values()] for rater in raters]
    kappa = {
        (raters[a], raters[b]): agreement(zip(columns[a], columns[b], strict=True), squared).kappa
        for a, b in combinations(range(len(raters)), 2)
    }
    table = list(zip(*columns, strict=True))
    return RaterAgreement(track, dimension, len(table), kappa, icc_2_1(table))

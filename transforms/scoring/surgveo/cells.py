"""Means of people's scores by track, prompt, time and dimension, in exact fractions.

A *cell* is one combination of these four. Its mean is the mean of the raters' means. The number
after "±" is the sample standard deviation (divisor R - 1) of the means of the R raters. For two
raters who scored n samples with totals a and b, the mean is (a + b) / 2n and the deviation |a - b|
/ (n * sqrt 2). The benchmark's paper does not state the formula, but only this one gives all of its
48 cells from whole totals.

The functions rely on complete rows (see :func:`.design.require_complete`): each rater of a track
has scored each of its samples once in every cell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, isqrt
from typing import Any

import numpy as np

from surgqa.ontology import continuations
from surgqa.ontology.continuations import PROMPTS, RATERS_PER_TRACK, ScoreRow
from surgqa.ontology.times import round_half_up
from surgqa.transforms.review.agreement import agreement, icc_2_1, squared
from surgqa.transforms.scoring.bootstrap import draw_counts, interval
from surgqa.transforms.scoring.surgveo.design import Design, Missing, require_complete


def report_of(
    rows: Sequence[ScoreRow], design: Design, seed: str, raters_per_track: int = RATERS_PER_TRACK
) -> dict[str, Any]:
    """Return the whole report as a dictionary for JSON.

    Args:
        seed: key of the bootstrap draws.

    Raises:
        UserError: the rows are not exactly the scores that the design needs.
    """
    require_complete(rows, design, raters_per_track)
    scores = scores_by_cell(rows)
    found, intervals = cells(scores), cell_intervals(scores, seed)
    stages = {one.sample_id: one.stage for one in design.samples.values() if one.stage is not None}
    known = len(stages) == len(design.samples)
    return {
        "rows": len(rows),
        "raters": {track: list(who) for track, who in design.raters.items()},
        "cells": [_cell(key, one, intervals[key],
                        stage_means(scores[key], stages) if known else {})
                  for key, one in found.items()],
        "drop": [{"track": track, "prompt": prompt, "dimension": dimension, "share": float(share)}
                 for (track, prompt, dimension), share in drop_over_time(found).items()],
        "errors": [_errors(prompt, one) for prompt in PROMPTS
                   for one in error_shares(rows, prompt)],
        "agreement": rater_agreement(scores),
        "paired": paired(scores),
    }  # fmt: skip


def _cell(
    key: CellKey,
    one: Cell,
    span: tuple[float, float] | None,
    stages: Mapping[str, tuple[Fraction, int]],
) -> dict[str, Any]:
    return {
        **dict(zip(("track", "prompt", "time_s", "dimension"), key, strict=True)),
        "samples": one.n, "totals": dict(one.totals), "mean": float(one.mean),
        "printed": one.printed(), "interval": list(span) if span else None,
        "stages": {s: {"mean": float(mean), "samples": n} for s, (mean, n) in stages.items()},
    }  # fmt: skip


def _errors(prompt: str, one: ErrorShares) -> dict[str, Any]:
    return {"track": one.track, "prompt": prompt, "marks": one.marks, "counts": one.counts,
            "percent": {name: one.printed(name) for name in one.counts}}  # fmt: skip


def missing_table(found: Sequence[Missing]) -> list[list[str]]:
    """Return a table of missing scores: a header, then one row for each rater and track."""
    rows = [["track", "rater_id", "sample_id", "prompt", "time_s", "dimension"]]
    for one in found:
        rows += [[one.track, rater, sample, prompt, str(time_s), dimension]
                 for sample, prompt, rater, time_s, dimension in one.places]  # fmt: skip
    return rows


CellKey = tuple[str, str, int, str]
"""track, prompt, time, dimension."""
Scores = Mapping[str, Mapping[str, int]]
"""The scores of one cell: rater -> sample -> score, sorted."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the benchmark's table.

    Attributes:
        n: number of samples that each rater scored.
        totals: for each rater, the sum of the scores.
    """

    n: int
    totals: Mapping[str, int]

    @property
    def rater_means(self) -> tuple[Fraction, ...]:
        return tuple(Fraction(total, self.n) for total in self.totals.values())

    @property
    def mean(self) -> Fraction:
        return sum(self.rater_means, Fraction(0)) / len(self.totals)

    @property
    def variance(self) -> Fraction | None:
        """The variance of the raters' means, with divisor R - 1; None if there is one rater."""
        means, mean = self.rater_means, self.mean
        if len(means) < 2:
            return None
        return sum(((m - mean) ** 2 for m in means), Fraction(0)) / (len(means) - 1)

    def printed(self, decimals: int = 2) -> str:
        """Return ``MEAN ± DEVIATION``, rounded half up."""
        mean = print_fraction(self.mean, decimals)
        return mean if self.variance is None else f"{mean} ± {print_root(self.variance, decimals)}"


def scores_by_cell(rows: Iterable[continuations.ScoreRow]) -> Mapping[CellKey, Scores]:
    """Return the scores of each cell, in the order of the table."""
    found: dict[CellKey, dict[str, dict[str, int]]] = {}
    for row in sorted(rows, key=_table_order):
        key = (row.track, row.prompt, row.time_s, row.dimension)
        found.setdefault(key, {}).setdefault(row.rater_id, {})[row.sample_id] = row.score
    return found


def _table_order(row: continuations.ScoreRow) -> tuple[str, int, int, int, str, str]:
    place = list(continuations.DIMENSIONS).index(row.dimension)
    prompt = continuations.PROMPTS.index(row.prompt)
    return row.track, prompt, row.time_s, place, row.rater_id, row.sample_id


def cells(scores: Mapping[CellKey, Scores]) -> dict[CellKey, Cell]:
    """Return every cell, in the order of the benchmark's table."""
    return {
        key: Cell(len(next(iter(cell.values()))),
                  {rater: sum(mine.values()) for rater, mine in cell.items()})
        for key, cell in scores.items()
    }  # fmt: skip


def violin_points(scores: Scores) -> dict[str, Fraction]:
    """Return the mean of the raters' scores for each sample of a cell."""
    samples = next(iter(scores.values()))
    return {one: Fraction(sum(mine[one] for mine in scores.values()), len(scores))
            for one in samples}  # fmt: skip


def drop_over_time(found: Mapping[CellKey, Cell]) -> dict[tuple[str, str, str], Fraction]:
    """Return 1 - last / first mean over time, for each (track, prompt, dimension)."""
    first, last = continuations.TIMES_S[0], continuations.TIMES_S[-1]
    return {
        (track, prompt, dimension): 1 - found[track, prompt, last, dimension].mean / cell.mean
        for (track, prompt, time_s, dimension), cell in found.items()
        if time_s == first and (track, prompt, last, dimension) in found
    }


def print_fraction(value: Fraction, decimals: int) -> str:
    """Return a fraction with this many decimals, rounded half up: 31/8 gives '3.88'."""
    whole, rest = divmod(abs(scaled := round_half_up(value * 10**decimals)), 10**decimals)
    text = f"{whole}.{rest:0{decimals}d}" if decimals else str(whole)
    return f"-{text}" if scaled < 0 else text


def print_root(square: Fraction, decimals: int) -> str:
    """Return the square root of a fraction, rounded exactly, half up."""
    # Half up: floor(s / 2 + 1/2), where s = 2 * 10^decimals * root. The floor of s is enough.
    floor = isqrt(int(4 * 100**decimals * square))
    return print_fraction(Fraction((floor + 1) // 2, 10**decimals), decimals)


@dataclass(frozen=True, slots=True)
class ErrorShares:
    """How often raters marked each type of error in the videos of one track.

    Attributes:
        counts: for each type, the number of marks. A rater marks a type of error in a video at most
            once.
    """

    track: str
    counts: Mapping[str, int]

    @property
    def marks(self) -> int:
        return sum(self.counts.values())

    def share(self, name: str) -> Fraction:
        """Return the share of one type among all marks; 0 if there are no marks."""
        return Fraction(self.counts[name], self.marks) if self.marks else Fraction(0)

    def printed(self, name: str) -> str:
        """Return a share in percent with one decimal, half to even, like the paper (4/64: 6.2)."""
        return print_fraction(Fraction(round(self.share(name) * 1000), 10), 1)


def error_shares(
    rows: Iterable[continuations.ScoreRow], prompt: str = continuations.BASELINE
) -> list[ErrorShares]:
    """Return each track's error marks for one prompt (in the paper, the baseline prompt)."""
    marks: dict[str, set[tuple[str, str, str]]] = {}
    for row in rows:
        if row.prompt == prompt:
            mine = marks.setdefault(row.track, set())
            mine.update((row.sample_id, row.rater_id, name) for name in row.error_types)
    out = []
    for track, found in sorted(marks.items()):
        counts = Counter(name for _, _, name in found)
        out.append(ErrorShares(track, {name: counts[name] for name in continuations.ERROR_TYPES}))
    return out


def sign_test(better: int, worse: int) -> Fraction:
    """Return the two-sided p-value of the sign test."""
    n, few = better + worse, min(better, worse)
    return min(Fraction(1), Fraction(2 * sum(comb(n, k) for k in range(few + 1)), 2**n))


def paired(scores: Mapping[CellKey, Scores]) -> list[dict[str, Any]]:
    """Return the comparison of both prompts for every track, time and dimension.

    Returns:
        For each: ``samples`` (their number), ``differences`` (for each sample, the raters' mean
        score with the stage-aware prompt minus their mean score with the baseline prompt),
        ``mean_difference``, ``better``, ``worse`` and ``ties`` (numbers of samples), ``p``
        (two-sided, of the sign test; samples without a difference are left out).
    """
    out = []
    for (track, prompt, time_s, dimension), cell in scores.items():
        other = scores.get((track, continuations.STAGE_AWARE, time_s, dimension))
        if prompt != continuations.BASELINE or other is None:
            continue
        before, after = violin_points(cell), violin_points(other)
        differences = {one: after[one] - before[one] for one in before}
        n, better = len(differences), sum(d > 0 for d in differences.values())
        worse = sum(d < 0 for d in differences.values())
        out.append({
            "track": track, "time_s": time_s, "dimension": dimension, "samples": n,
            "mean_difference": float(sum(differences.values(), Fraction(0)) / n),
            "better": better, "worse": worse, "ties": n - better - worse,
            "p": float(sign_test(better, worse)),
            "differences": {sample: float(d) for sample, d in differences.items()},
        })  # fmt: skip
    return out


REPLICATES = 2000


def cell_intervals(
    scores: Mapping[CellKey, Scores], seed: str, replicates: int = REPLICATES
) -> dict[CellKey, tuple[float, float] | None]:
    """Return the 95 % bootstrap interval of each cell's mean; samples are drawn with replacement.

    The same samples are drawn for all cells of a track.
    """
    out: dict[CellKey, tuple[float, float] | None] = {}
    draws: dict[str, np.ndarray] = {}
    for key, cell in scores.items():
        sums = np.array([list(mine.values()) for mine in cell.values()], dtype=np.int64).sum(axis=0)
        n = len(sums)
        if key[0] not in draws:
            draws[key[0]] = draw_counts(n, replicates, f"{seed}/{key[0]}")
        out[key] = interval((draws[key[0]] @ sums) / (n * len(cell)), n)
    return out


def stage_means(scores: Scores, stages: Mapping[str, str]) -> dict[str, tuple[Fraction, int]]:
    """Return stage of the operation -> (mean, number of samples) for one cell.

    Args:
        stages: for each sample, the stage of the operation.
    """
    points: dict[str, list[Fraction]] = {}
    for sample, mean in violin_points(scores).items():
        points.setdefault(stages[sample], []).append(mean)
    return {stage: (sum(found, Fraction(0)) / len(found), len(found))
            for stage, found in sorted(points.items())}  # fmt: skip


def rater_agreement(scores: Mapping[CellKey, Scores]) -> list[dict[str, Any]]:
    """Return how well the raters agree, for each track and dimension.

    Returns:
        For each: ``n`` (number of videos times number of times at which they were scored),
        ``quadratic_kappa`` (for each pair of raters, the quadratic-weighted kappa) and ``icc_2_1``
        (the ICC(2,1)); both are None if undefined.
    """
    out = []
    for track, dimension in dict.fromkeys((key[0], key[3]) for key in scores):
        found = [cell for key, cell in scores.items() if (key[0], key[3]) == (track, dimension)]
        columns = {r: [x for cell in found for x in cell[r].values()] for r in found[0]}
        table = list(zip(*columns.values(), strict=True))
        kappa = [
            {"raters": [a, b], "kappa": _number(
                agreement(zip(columns[a], columns[b], strict=True), squared).kappa)}
            for a, b in combinations(columns, 2)
        ]  # fmt: skip
        out.append({"track": track, "dimension": dimension, "n": len(table),
                    "quadratic_kappa": kappa, "icc_2_1": _number(icc_2_1(table))})  # fmt: skip
    return out


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)

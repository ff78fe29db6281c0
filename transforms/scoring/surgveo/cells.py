"""Means of people's scores by track, prompt, time and dimension, in exact fractions.

A *cell* is one combination of these four. Its mean is the mean of the raters' means. The number
after "±" is the sample standard deviation (divisor R - 1) of the means of the R raters. For two
raters who scored n samples with totals a and b, the mean is (a + b) / 2n and the deviation |a - b|
/ (n * sqrt 2). The benchmark's paper does not state the formula, but only this one gives all of its
48 cells from whole totals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, isqrt

import numpy as np

from surgqa.ontology import continuations
from surgqa.ontology.errors import Mismatched, RowsMissing, RowTwice, UserError
from surgqa.ontology.times import round_half_up
from surgqa.transforms.review.agreement import agreement, icc_2_1, squared
from surgqa.transforms.scoring.bootstrap import draw_counts, interval

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

    track: str
    prompt: str
    time_s: int
    dimension: str
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


def scores_by_cell(rows: Iterable[continuations.ScoreRow]) -> dict[CellKey, Scores]:
    """Return the scores of each cell, in the order of the table.

    Raises:
        UserError: two rows give the same rater's score for the same sample in a cell.
    """
    found: dict[CellKey, dict[str, dict[str, int]]] = {}
    for row in rows:
        key = (row.track, row.prompt, row.time_s, row.dimension)
        mine = found.setdefault(key, {}).setdefault(row.rater_id, {})
        if row.sample_id in mine:
            raise RowTwice("the same score occurs twice", expected="one row", found=row.sample_id,
                           where=row.where, fix="keep one of the rows")  # fmt: skip
        mine[row.sample_id] = row.score
    return {
        key: {rater: dict(sorted(mine.items())) for rater, mine in sorted(found[key].items())}
        for key in sorted(found, key=_table_order)
    }


def _table_order(key: CellKey) -> tuple[str, int, int, int]:
    track, prompt, time_s, dimension = key
    place = list(continuations.DIMENSIONS).index(dimension)
    return track, continuations.PROMPTS.index(prompt), continuations.TIMES_S.index(time_s), place


def same_raters(scores: Mapping[CellKey, Scores]) -> None:
    """Raise an error unless all cells of a track were scored by the same raters.

    Raises:
        UserError: the raters of a cell scored different sets of samples, or the cells of a
            track have different sets of raters.
    """
    raters: dict[str, tuple[CellKey, set[str]]] = {}
    for key, cell in scores.items():
        sets = {rater: set(mine) for rater, mine in cell.items()}
        all_of = set().union(*sets.values())
        for rater, mine in sets.items():
            if mine != all_of:
                lacking = sorted(all_of - mine)
                raise _unequal(key, f"all raters to score the same {len(all_of)} samples",
                               f"no score of {rater} for {', '.join(lacking[:3])}")  # fmt: skip
        first, known = raters.setdefault(key[0], (key, set(cell)))
        if set(cell) != known:
            raise _unequal(key, f"{', '.join(sorted(known))}, as in {_key_in_words(first)}",
                           ", ".join(cell))  # fmt: skip


def _unequal(key: CellKey, expected: str, found: str) -> UserError:
    return RowsMissing(
        "unequal sets of raters are not averaged", expected=expected, found=found,
        where=_key_in_words(key),
        fix="have the missing scores filled in, or leave the rater out entirely",
    )  # fmt: skip


def _key_in_words(key: CellKey) -> str:
    return f"{key[0]}, {key[1]}, {key[3]} at {key[2]} s"


def cells(rows: Iterable[continuations.ScoreRow]) -> dict[CellKey, Cell]:
    """Return every cell, in the order of the benchmark's table.

    Raises:
        UserError: raters or samples of scores that are averaged differ, or a score occurs twice.
    """
    scores = scores_by_cell(rows)
    same_raters(scores)
    return {
        key: Cell(*key, len(next(iter(cell.values()))),
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


@dataclass(frozen=True, slots=True)
class PairedPrompts:
    """The comparison of the two prompts in one cell.

    Attributes:
        differences: for each sample, the raters' mean score with the stage-aware prompt minus their
            mean score with the baseline prompt.
        better, worse: number of samples with a positive and with a negative difference.
        p: two-sided p-value of the sign test; samples without a difference are left out.
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
    """Return the two-sided p-value of the sign test."""
    n, few = better + worse, min(better, worse)
    return min(Fraction(1), Fraction(2 * sum(comb(n, k) for k in range(few + 1)), 2**n))


def paired(rows: Iterable[continuations.ScoreRow]) -> list[PairedPrompts]:
    """Return the comparison of both prompts for every track, time and dimension.

    Raises:
        UserError: raters differ, or a sample was scored for only one prompt.
    """
    scores = scores_by_cell(rows)
    same_raters(scores)
    out = []
    for (track, prompt, time_s, dimension), cell in scores.items():
        other = scores.get((track, continuations.STAGE_AWARE, time_s, dimension))
        if prompt != continuations.BASELINE or other is None:
            continue
        before, after = violin_points(cell), violin_points(other)
        single = sorted(set(before) ^ set(after))
        if single:
            raise RowsMissing(
                "a sample was scored under one prompt only", expected="a score under both",
                found=", ".join(single[:3]), where=f"{track}, {dimension} at {time_s} s",
                fix="have the other video of the sample scored as well",
            )  # fmt: skip
        differences = {one: after[one] - before[one] for one in before}
        better = sum(d > 0 for d in differences.values())
        worse = sum(d < 0 for d in differences.values())
        p = sign_test(better, worse)
        out.append(PairedPrompts(track, time_s, dimension, differences, better, worse, p))
    return out


REPLICATES = 2000


def cell_intervals(
    rows: Iterable[continuations.ScoreRow], seed: str, replicates: int = REPLICATES
) -> dict[CellKey, tuple[float, float] | None]:
    """Return the 95 % bootstrap interval of each cell's mean; samples are drawn with replacement.

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
    rows: Iterable[continuations.ScoreRow], stages: Mapping[str, str]
) -> dict[CellKey, dict[str, tuple[Fraction, int]]]:
    """Return cell -> stage of the operation -> (mean, number of samples).

    Args:
        stages: for each sample, the stage of the operation.

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
                raise Mismatched(
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
    """How well the raters of a track agree in one dimension.

    Attributes:
        n: number of videos times number of times at which they were scored.
        kappa: for each pair of raters, the quadratic-weighted kappa, None if undefined.
        icc: ICC(2,1), None if undefined.
    """

    track: str
    dimension: str
    n: int
    kappa: Mapping[tuple[str, str], Fraction | None]
    icc: Fraction | None


def rater_agreement(rows: Iterable[continuations.ScoreRow]) -> list[RaterAgreement]:
    """Return the agreement for each track and dimension.

    Raises:
        UserError: see :func:`transforms.scoring.surgveo.cells.cells`.
    """
    scores = scores_by_cell(rows)
    same_raters(scores)
    order = [
        (track, d)
        for track in dict.fromkeys(key[0] for key in scores)
        for d in continuations.DIMENSIONS
    ]
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

"""Agreement of raters: quadratic-weighted kappa of two, ICC(2,1) of any number.

Both are computed in exact fractions.  Kappa weights a disagreement by the squared difference of
the scores (Cohen 1968).  ICC(2,1) is the intraclass correlation of single ratings for absolute
agreement, with randomly drawn raters (Shrout and Fleiss 1979).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from ontology.continuations import DIMENSIONS, ScoreRow
from transforms.scoring.surgveo.cells import CellKey, Scores, same_raters, scores_by_cell


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


def quadratic_kappa(left: Sequence[int], right: Sequence[int]) -> Fraction | None:
    """Return the kappa of two raters' scores of the same units; None if all scores are the same.

    It is 1 - n * sum of (a - b)^2 over units / sum of (a - b)^2 over all n * n pairs of scores.
    """
    n = len(left)
    seen = sum((a - b) ** 2 for a, b in zip(left, right, strict=True))
    by_a, by_b = Counter(left), Counter(right)
    chance = sum(by_a[a] * by_b[b] * (a - b) ** 2 for a in by_a for b in by_b)
    return 1 - Fraction(n * seen, chance) if chance else None


def icc_2_1(table: Sequence[Sequence[int]]) -> Fraction | None:
    """Return ICC(2,1) of a table of n units (rows) by k raters (columns).

    It is (MSR - MSE) / (MSR + (k - 1) MSE + k (MSC - MSE) / n), where MSR, MSC and MSE are the
    mean squares of rows, columns and the remainder.  None if n or k < 2, or without variance.
    """
    n, k = len(table), len(table[0]) if table else 0
    if n < 2 or k < 2:
        return None
    total = sum(map(sum, table))
    correction = Fraction(total**2, n * k)
    rows = Fraction(sum(sum(row) ** 2 for row in table), k) - correction
    columns = Fraction(sum(sum(column) ** 2 for column in zip(*table, strict=True)), n) - correction
    rest = sum(x * x for row in table for x in row) - correction - rows - columns
    msr, msc, mse = rows / (n - 1), columns / (k - 1), rest / ((n - 1) * (k - 1))
    below = msr + (k - 1) * mse + k * (msc - mse) / n
    return (msr - mse) / below if below else None


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
        (raters[a], raters[b]): quadratic_kappa(columns[a], columns[b])
        for a, b in combinations(range(len(raters)), 2)
    }
    table = list(zip(*columns, strict=True))
    return RaterAgreement(track, dimension, len(table), kappa, icc_2_1(table))

"""Means by track, prompt, time and dimension, in exact fractions.

The mean of a cell is the mean over raters of each rater's mean over samples.  The deviation after
"±" is the sample standard deviation (divisor R - 1) of these R means.  With two raters who scored
n samples and whose totals are a and b, these are (a + b) / 2n and |a - b| / (n * sqrt 2).  The
benchmark's paper does not state this, but only this formula gives all of its 48 cells from whole
sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from ontology.continuations import DIMENSIONS, PROMPTS, TIMES_S, ScoreRow
from ontology.errors import UserError
from ontology.times import round_half_up

CellKey = tuple[str, str, int, str]
"""track, prompt, time, dimension."""
Scores = Mapping[str, Mapping[str, int]]
"""Rater -> sample -> score, for one cell; raters and samples are sorted."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the table.

    Attributes:
        n: number of samples.
        totals: rater -> sum of the scores.
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
        """Variance of the rater means with divisor R - 1; None if there is one rater."""
        means, mean = self.rater_means, self.mean
        if len(means) < 2:
            return None
        return sum(((m - mean) ** 2 for m in means), Fraction(0)) / (len(means) - 1)

    def printed(self, decimals: int = 2) -> str:
        """Return ``mean ± deviation``, rounded half up."""
        mean = print_fraction(self.mean, decimals)
        return mean if self.variance is None else f"{mean} ± {print_root(self.variance, decimals)}"


def scores_by_cell(rows: Iterable[ScoreRow]) -> dict[CellKey, Scores]:
    """Return the scores of each cell, in the order of the benchmark's table.

    Raises:
        UserError: two rows give the same rater's score for the same sample in a cell.
    """
    found: dict[CellKey, dict[str, dict[str, int]]] = {}
    for row in rows:
        key = (row.track, row.prompt, row.time_s, row.dimension)
        mine = found.setdefault(key, {}).setdefault(row.rater_id, {})
        if row.sample_id in mine:
            raise UserError("the same score occurs twice", expected="one row", found=row.sample_id,
                            where=row.where, fix="keep one of the rows")  # fmt: skip
        mine[row.sample_id] = row.score
    return {
        key: {rater: dict(sorted(mine.items())) for rater, mine in sorted(found[key].items())}
        for key in sorted(found, key=_table_order)
    }


def _table_order(key: CellKey) -> tuple[str, int, int, int]:
    track, prompt, time_s, dimension = key
    return track, PROMPTS.index(prompt), TIMES_S.index(time_s), list(DIMENSIONS).index(dimension)


def same_raters(scores: Mapping[CellKey, Scores]) -> None:
    """Check that scores that are averaged or compared come from the same raters.

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
            raise _unequal(key, f"{', '.join(sorted(known))}, as in {_told(first)}",
                           ", ".join(cell))  # fmt: skip


def _unequal(key: CellKey, expected: str, found: str) -> UserError:
    return UserError(
        "unequal sets of raters are not averaged", expected=expected, found=found,
        where=_told(key), fix="have the missing scores filled in, or leave the rater out entirely",
    )  # fmt: skip


def _told(key: CellKey) -> str:
    return f"{key[0]}, {key[1]}, {key[3]} at {key[2]} s"


def cells(rows: Iterable[ScoreRow]) -> dict[CellKey, Cell]:
    """Return every cell, in the order of the benchmark's table.

    Raises:
        UserError: raters or samples differ among scores to be averaged, or a score occurs
            twice.
    """
    scores = scores_by_cell(rows)
    same_raters(scores)
    return {
        key: Cell(*key, len(next(iter(cell.values()))),
                  {rater: sum(mine.values()) for rater, mine in cell.items()})
        for key, cell in scores.items()
    }  # fmt: skip


def violin_points(scores: Scores) -> dict[str, Fraction]:
    """Return the mean over the raters of one cell, by sample."""
    samples = next(iter(scores.values()))
    return {one: Fraction(sum(mine[one] for mine in scores.values()), len(scores))
            for one in samples}  # fmt: skip


def drop_over_time(found: Mapping[CellKey, Cell]) -> dict[tuple[str, str, str], Fraction]:
    """Return 1 - mean at the last time / mean at the first, by track, prompt and dimension."""
    first, last = TIMES_S[0], TIMES_S[-1]
    return {
        (track, prompt, dimension): 1 - found[track, prompt, last, dimension].mean / cell.mean
        for (track, prompt, time_s, dimension), cell in found.items()
        if time_s == first and (track, prompt, last, dimension) in found
    }


def print_fraction(value: Fraction, decimals: int) -> str:
    """Return a fraction with fixed decimals, half up and never '-0.00': 31/8 gives '3.88'."""
    whole, rest = divmod(abs(scaled := round_half_up(value * 10**decimals)), 10**decimals)
    text = f"{whole}.{rest:0{decimals}d}" if decimals else str(whole)
    return f"-{text}" if scaled < 0 else text


def print_root(square: Fraction, decimals: int) -> str:
    """Return the square root of a fraction, rounded exactly, half up."""
    # k = floor(s / 2 + 1/2) with s = 2 * 10^decimals * root; only the floor of s is needed.
    floor = isqrt(int(4 * 100**decimals * square))
    return print_fraction(Fraction((floor + 1) // 2, 10**decimals), decimals)

"""Compare the stage-aware prompt with the baseline by sample, with an exact sign test."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from ontology.continuations import BASELINE, STAGE_AWARE, ScoreRow
from ontology.errors import UserError
from transforms.scoring.surgveo.cells import same_raters, scores_by_cell, violin_points


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

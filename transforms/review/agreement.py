"""Agreement of raters beyond chance, and how often they choose the reference answer.

Cohen's kappa of two raters is (p_o - p_e) / (1 - p_e). p_o is the share of questions with equal
answers. p_e is the share expected by chance: of two raters who give each answer as often as these
raters, but at random. If answers have a distance, the weighted kappa (Cohen 1968) is computed.
Fleiss' kappa is one number for three or more raters (Fleiss, 1971, doi.org/10.1037/h0031619). Here,
p_o is the mean share of pairs of raters who agree on a question, and p_e is the share expected if
every rater drew at random from the answers of all raters. ICC(2,1) is the intraclass correlation of
single ratings for absolute agreement, with randomly drawn raters (Shrout and Fleiss 1979). All
values are exact fractions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from operator import ne
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surgqa.transforms.review.votes import Vote

ALL = "all"
LEAST = 3
"""Minimum number of raters for Fleiss' kappa; the agreement of two raters is Cohen's kappa."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two raters on the same questions.

    Attributes:
        n: number of questions.
        observed, expected: p_o and p_e, None without questions.
        kappa: None if it is undefined: without questions, or if p_e = 1 (both raters always gave
            the same answer).
    """

    n: int
    observed: Fraction | None
    expected: Fraction | None
    kappa: Fraction | None


def squared(a: int, b: int) -> int:
    """Return the squared difference of two scores, the distance of the quadratic-weighted kappa."""
    return (a - b) ** 2


def agreement(
    pairs: Iterable[tuple[Any, Any]], distance: Callable[[Any, Any], int] = ne
) -> Agreement:
    """Return the agreement of two raters, question by question.

    Args:
        pairs: for each question, the answers of both raters.
        distance: function of two answers, 0 for equal answers. The default gives 1 for all other
            pairs, so that the result is Cohen's kappa.
    """
    said = list(pairs)
    n = len(said)
    if not n:
        return Agreement(0, None, None, None)
    left, right = Counter(a for a, _ in said), Counter(b for _, b in said)
    seen = sum(distance(a, b) for a, b in said)
    chance = sum(left[a] * right[b] * distance(a, b) for a in left for b in right)
    kappa = 1 - Fraction(n * seen, chance) if chance else None
    return Agreement(n, 1 - Fraction(seen, n), 1 - Fraction(chance, n * n), kappa)


def icc_2_1(table: Sequence[Sequence[int]]) -> Fraction | None:
    """Return ICC(2,1) of a table of n units (rows) by k raters (columns).

    The coefficient is (MSR - MSE) / (MSR + (k - 1) MSE + k (MSC - MSE) / n), where MSR, MSC and MSE
    are the mean squares of rows, columns and the remainder. The result is None if n < 2, if k < 2,
    or if all values are equal.
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


def joint_kappa(ballots: Iterable[Sequence[Hashable]]) -> Fraction | None:
    """Return Fleiss' kappa of the answers of three or more raters.

    Args:
        ballots: for each question the answers of all raters; all of the same length.

    Returns:
        None if it is undefined: no question, fewer than three raters, or p_e = 1.
    """
    counts = [Counter(said) for said in ballots]
    raters = counts[0].total() if counts else 0
    if raters < LEAST:
        return None
    agreeing = sum(n * (n - 1) for one in counts for n in one.values())
    observed = Fraction(agreeing, len(counts) * raters * (raters - 1))
    whole = sum(counts, Counter())
    expected = Fraction(sum(n * n for n in whole.values()), whole.total() ** 2)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def kinds_of(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return groups of items: all items, those of each task, and those of each stage of chains.

    Args:
        rows: for each item, the row with ``task`` and ``stage``.
    """
    kinds: dict[str, list[str]] = {}
    for item, row in sorted(rows.items()):
        kinds.setdefault(row["task"], []).append(item)
        if row["stage"] is not None:
            kinds.setdefault(f"stage {row['stage']}", []).append(item)
    return {ALL: sorted(rows), **dict(sorted(kinds.items()))}


Ballots = Mapping[str, Mapping[str, "Vote"]]


def agreements(votes: Ballots, items: Sequence[str], field: str) -> dict[str, Any]:
    """Return Cohen's kappa of every pair of raters, their mean, and Fleiss' kappa, for JSON.

    Args:
        votes: for each reviewer and item, the vote.
        field: ``answer`` or ``valid``.
    """
    pairs = []
    for a, b in combinations(votes, 2):
        said = ((getattr(votes[a][one], field), getattr(votes[b][one], field)) for one in items)
        pairs.append((a, b, agreement(said)))
    known = [one.kappa for _, _, one in pairs if one.kappa is not None]
    return {
        "n": len(items),
        "pairs": [
            {"raters": [a, b]}
            | {name: _number(getattr(one, name)) for name in ("observed", "expected", "kappa")}
            for a, b, one in pairs
        ],
        "defined": len(known),
        "mean": _number(sum(known, Fraction(0)) / len(known)) if known else None,
        "fleiss": _number(
            joint_kappa([[getattr(mine[one], field) for mine in votes.values()] for one in items])
        ),
    }


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def accuracies(
    votes: Ballots, items: Sequence[str], references: Mapping[str, str | None]
) -> dict[str, Any]:
    """Return how often each reviewer chose the correct option, for JSON.

    Args:
        items: closed questions.
    """
    right = {
        name: sum(mine[one].answer == references[one] for one in items)
        for name, mine in votes.items()
    }
    return {
        "n": len(items),
        "reviewers": {
            name: {"right": count, "share": count / len(items) if items else None}
            for name, count in right.items()
        },
    }

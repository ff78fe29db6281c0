"""Agreement of raters beyond chance, and how often they choose the reference answer.

Cohen's kappa of two raters is (p_o - p_e) / (1 - p_e).  p_o is the share of questions with equal
answers; p_e is the share expected of two raters who give each answer as often as these do, but at
random.  Fleiss' kappa is one number for three or more raters (Fleiss, 1971,
doi.org/10.1037/h0031619): p_o is the mean share of pairs of raters who agree on a question; p_e is
the share expected if every rater drew from the answers of all.  Both are exact fractions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from transforms.review.votes import Vote

ALL = "all"
LEAST = 3
"""Minimum number of raters for Fleiss' kappa; for two, Cohen's kappa is used."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two raters on the same questions.

    Attributes:
        n: number of questions.
        observed, expected: p_o and p_e, None without questions.
        kappa: None if it is undefined: no question, or p_e = 1 (both always gave the same answer).
    """

    n: int
    observed: Fraction | None
    expected: Fraction | None
    kappa: Fraction | None


def agreement(pairs: Iterable[tuple[Hashable, Hashable]]) -> Agreement:
    """Cohen's kappa of the answers of two raters, question by question."""
    said = list(pairs)
    n = len(said)
    if not n:
        return Agreement(0, None, None, None)
    observed = Fraction(sum(a == b for a, b in said), n)
    left, right = Counter(a for a, _ in said), Counter(b for _, b in said)
    expected = Fraction(sum(left[word] * right[word] for word in left), n * n)
    kappa = None if expected == 1 else (observed - expected) / (1 - expected)
    return Agreement(n, observed, expected, kappa)


def joint_kappa(ballots: Iterable[Sequence[Hashable]]) -> Fraction | None:
    """Fleiss' kappa of the answers of three or more raters, question by question.

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
    """Kind of question -> items: all items, those of every task, and of every stage of chains.

    Args:
        rows: item -> row with ``task`` and ``stage``.
    """
    kinds: dict[str, list[str]] = {}
    for item, row in sorted(rows.items()):
        kinds.setdefault(row["task"], []).append(item)
        if row["stage"] is not None:
            kinds.setdefault(f"stage {row['stage']}", []).append(item)
    return {ALL: sorted(rows), **dict(sorted(kinds.items()))}


Ballots = Mapping[str, Mapping[str, Vote]]


def agreements(votes: Ballots, items: Sequence[str], field: str) -> dict[str, Any]:
    """Cohen's kappa of every pair of raters, their mean, and Fleiss' kappa of all, for JSON.

    Args:
        votes: reviewer -> item -> vote.
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
            {
                "raters": [a, b],
                "observed": _number(one.observed),
                "expected": _number(one.expected),
                "kappa": _number(one.kappa),
            }
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
    """How often each reviewer chose the correct option, for JSON.

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

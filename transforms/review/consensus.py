"""The joint decision of the raters about each question.

A question is left out if more than half of the raters call it not valid.  It is disputed, and kept,
if exactly half do.  It is contested if more than half choose the same wrong option, without having
seen the reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from transforms.review.terms import PHRASES
from transforms.review.votes import Vote


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision about one question.

    Attributes:
        reason: why it is left out, '' if it is kept.
        disputed: exactly half of the raters want to leave it out.
        contested: most raters choose the same wrong option.
        untouched: every rater called it valid and reported no flaw.
    """

    keep: bool
    reason: str
    disputed: bool
    contested: bool
    untouched: bool


def verdict(votes: Sequence[Vote], reference: str | None, drop_contested: bool) -> Verdict:
    """The decision of one or more raters.

    Args:
        reference: the correct letter, None for an open question.
        drop_contested: whether contested questions are left out as well.
    """
    against = sum(not vote.valid for vote in votes)
    other = _agreed_on_other(votes, reference)
    invalid = 2 * against > len(votes)
    dropped = invalid or (drop_contested and other is not None)
    reasons = _flaws(votes) if invalid else []
    if dropped and other is not None:
        chosen = sum(vote.answer == other for vote in votes)
        reasons.append(f"{chosen} of {len(votes)} answer {other}, which is not the reference")
    return Verdict(
        keep=not dropped,
        reason="; ".join(reasons),
        disputed=not dropped and 2 * against == len(votes),
        contested=other is not None,
        untouched=not dropped and all(vote.valid and not vote.flaws for vote in votes),
    )


def _agreed_on_other(votes: Sequence[Vote], reference: str | None) -> str | None:
    if reference is None:
        return None
    letter, count = Counter(vote.answer for vote in votes).most_common(1)[0]
    return letter if 2 * count > len(votes) and letter != reference else None


def _flaws(votes: Sequence[Vote]) -> list[str]:
    """The flaws reported by raters who want to leave it out, most frequent first."""
    counts = Counter(flaw for vote in votes if not vote.valid for flaw in vote.flaws)
    order = list(PHRASES)
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], order.index(pair[0])))
    return [f"{PHRASES[flaw]} ({count} of {len(votes)})" for flaw, count in ranked]


def verdicts(
    votes: Mapping[str, Mapping[str, Vote]], references: Mapping[str, str | None],
    drop_contested: bool,
) -> dict[str, Verdict]:  # fmt: skip
    """Item -> decision.

    Args:
        votes: reviewer -> item -> vote; all reviewers voted on all items.
        references: item -> correct letter, or None.
    """
    return {
        item: verdict([mine[item] for mine in votes.values()], reference, drop_contested)
        for item, reference in sorted(references.items())
    }

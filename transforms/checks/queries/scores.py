"""Scores of a recording or of a time, and the words for them."""

from __future__ import annotations

from collections.abc import Iterable

from ontology.errors import UserError
from ontology.ratings import bucket, rating
from transforms.checks.queries.base import Query, Value
from transforms.checks.rules.base import BadSlot, Undecided

DECIMALS = 3


def scored(query: Query, given: Iterable[float | None], agreeing: bool) -> Value:
    """The word for the mean of the raters' scores, in the grouping that questions use.

    Args:
        given: a score of each rater, None where he gave none.
        agreeing: every single score must have that word, too.
    """
    scores = [score for score in given if score is not None]
    if not scores:
        raise Undecided(f"no score of {query.label!r}")
    try:
        grouping = rating(query.label).asked
    except UserError as error:
        raise BadSlot(str(error)) from None
    if grouping is None:
        raise Undecided(f"{query.label} has no words for its scores")
    mean = round(sum(scores) / len(scores), DECIMALS)
    word = bucket(query.label, grouping, mean)
    if word is None:
        raise Undecided(f"{query.label} {mean} has no word in {grouping!r}")
    others = {bucket(query.label, grouping, score) for score in scores} - {word}
    if agreeing and others:
        raise Undecided(f"{query.label}: the raters disagree, {sorted(scores)}")
    return {
        "kind": query.kind, "label": query.label, "grouping": grouping, "bucket": word,
        "value": mean,
    }  # fmt: skip

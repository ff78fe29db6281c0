"""Scales of ratings, and the words for their ranges.

The vocabulary entry of a rating states what is rated, and on which scale.  Besides the names,
``ontology/vocab/ratings/*.yaml`` contains ``range`` (lowest and highest possible score),
``buckets`` (groupings: each is a list of words with the score from which each word applies), and
``question_grouping`` (the grouping that questions use).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from surgqa.ontology.concepts import WordScale, raw_terms
from surgqa.ontology.errors import FieldInvalid, UnknownName


@dataclass(frozen=True, slots=True)
class Rating:
    """The scale of one rating.

    Attributes:
        low, high: lowest and highest possible score.
        buckets: name of a grouping -> its words, such as 'low' and 'high', each with the lowest
            score for which it is used.
        asked: name of the grouping that questions use; None if no question uses it.
    """

    low: float
    high: float
    buckets: Mapping[str, WordScale]
    asked: str | None = None


@cache
def rating(concept: str) -> Rating:
    """Return the scale of a rating.

    Raises:
        UserError: there is no such rating, it has no range, or it names an unknown grouping.
    """
    entry = raw_terms("ratings").get(concept)
    if entry is None or "range" not in entry:
        known = sorted(name for name, term in raw_terms("ratings").items() if "range" in term)
        raise UnknownName(f"no rating {concept!r}", expected=", ".join(known), found=concept)
    low, high = map(float, entry["range"])
    buckets = {
        name: WordScale(tuple(words), tuple(float(bound) for bound in words.values()))
        for name, words in (entry.get("buckets") or {}).items()
    }
    asked = entry.get("question_grouping")
    if asked is not None and asked not in buckets:
        raise FieldInvalid(
            f"rating {concept!r}: 'question_grouping' is not a key of 'buckets'",
            expected=", ".join(sorted(buckets)),
            found=str(asked),
        )
    return Rating(low, high, buckets, asked)

"""One order of choices for all items of a task; options in ``data/`` are in hash order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from surgqa.ontology.concepts import LABEL_KINDS, raw_terms, vocabulary
from surgqa.ontology.ratings import rating

_NUMBER = re.compile(r"-?\d+(\.\d+)?\b")
_YES_NO = ("yes", "no")
LAST = "unanswerable"


def ordered(texts: Sequence[str], of: str = "") -> list[str]:
    """Return the choices in order: yes before no; numbers ascending; labels in the order of their
    vocabulary; words of a scale from the lowest; otherwise sorted by text. ``unanswerable`` is
    last.

    Args:
        of: domain of the answer's type.
    """
    known = _vocabulary(of) or _scale(frozenset(text.casefold() for text in texts) - {LAST})
    numbers = all(_NUMBER.match(text) for text in texts if text != LAST)
    return sorted(texts, key=lambda text: _rank(text, known, numbers))


def _rank(text: str, known: Mapping[str, int], numbers: bool) -> tuple[Any, ...]:
    if text == LAST:
        return (2,)
    folded = text.casefold()
    if folded in _YES_NO:
        return (0, _YES_NO.index(folded), text)
    found = _NUMBER.match(text)
    if numbers and found:
        return (0, float(found[0]), text)
    return (0, known[folded], text) if folded in known else (1, folded, text)


@cache
def _vocabulary(kind: str) -> Mapping[str, int]:
    kinds = f"{kind}s"
    if kinds not in LABEL_KINDS:
        return {}
    return {term.display.casefold(): i for i, term in enumerate(vocabulary(kinds).values())}


@cache
def _scale(texts: frozenset[str]) -> Mapping[str, int]:
    """Return, for each word, the position, from the lowest, on the rating scale that contains all
    texts.
    """
    for name, term in raw_terms("ratings").items():
        for scale in rating(name).buckets.values() if "range" in term else ():
            words = [word.casefold() for word in scale.words]
            if texts <= set(words):
                return {word: i for i, word in enumerate(words)}
    return {}

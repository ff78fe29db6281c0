"""Choices in one order for all items of a task; where options stand in ``data/`` is by hash."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ontology.concepts import LABEL_KINDS, vocabulary
from ontology.ratings import rating

_NUMBER = re.compile(r"-?\d+(\.\d+)?\b")
_YES_NO = ("yes", "no")
LAST = "unanswerable"


def ordered(
    texts: Sequence[str], slots: Mapping[str, Any], value: Mapping[str, Any], of: str = ""
) -> list[str]:
    """Yes before no; numbers rising; labels as their vocabulary has them, else by their text;
    ``unanswerable`` last.

    Args:
        slots: of the item; ``about`` names the kind of its labels.
        value: the item's typed answer; of a rating it names the scale.
        of: what the answer's type is of, where the row tells it.
    """
    about = slots.get("about")
    kind = of or str((isinstance(about, dict) and about.get("kind")) or value.get("kind") or "")
    known = _ratings(value) if kind == "rating" else _vocabulary(kind)
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


def _ratings(value: Mapping[str, Any]) -> Mapping[str, int]:
    """Words of the scale from the lowest up."""
    label, grouping = value.get("label"), value.get("grouping")
    if not label or not grouping:
        return {}
    scale = rating(str(label)).buckets.get(str(grouping))
    return {word.casefold(): i for i, word in enumerate(scale.words)} if scale else {}

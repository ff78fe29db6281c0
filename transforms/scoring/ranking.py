"""Read and score rankings: options of an item in the order of their likelihood."""

from __future__ import annotations

import re
from collections.abc import Sequence

from surgqa.transforms.scoring.case import WITH_LABEL, GoldCase, PredictionScore, ScoredTask
from surgqa.transforms.scoring.parse import read_option

_ENTRY = re.compile(r"(?:^|\n|;|>|,(?=\s*\"?\(?[A-Za-z0-9]))\s*(?:[-*•]|#?\d{1,2}[.):])?\s*")


def read_ranking(text: str, options: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return the keys of the options that a response names, in its order and each once.

    Options are on separate lines, or separated by commas, semicolons or ``>``. A response with a
    single option is read like a response to an ordinary question.
    """
    whole = [_ENTRY.sub("", line) for line in text.split("\n")]
    keys: tuple[str, ...] = ()
    for entries in (whole, _ENTRY.split(text)):
        found = [read_option(entry.strip(" \"'[]"), options) for entry in entries if entry.strip()]
        keys = tuple(dict.fromkeys(key for key in found if key is not None))
        if len(keys) > 1:
            return keys
    only = read_option(text, options)
    return (only,) if only is not None else keys


def mark_ranking(text: str, case: GoldCase) -> PredictionScore | None:
    """Score a ranking: 1 if its first option is correct, else 0; None if it names no option.

    The ``ranks`` of the result state for each k up to ``case.top`` whether the correct option is
    among the first k.
    """
    keys = read_ranking(text, case.options)
    if not keys:
        return None
    first = float(keys[0] == case.answer_key)
    ranks = tuple(float(case.answer_key in keys[:k]) for k in range(1, case.top + 1))
    return PredictionScore(first, accuracy=first, ranks=ranks)


RANKED = ScoredTask(mark_ranking, WITH_LABEL, closed=True)
"""Scorer for rankings; the score is that of the first option."""

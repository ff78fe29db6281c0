"""Whether an action is negated, and whether a sentence announces something."""

from __future__ import annotations

from collections.abc import Sequence

from surgqa.transforms.evidence.speech.lexicon import cues
from surgqa.transforms.evidence.speech.tokens import SpokenToken

REACH = {False: 5, True: 4}
"""Number of words, and of Chinese characters, before an action in which a negator is searched
for."""


def places(
    said: Sequence[SpokenToken], phrases: Sequence[tuple[str, ...]]
) -> list[tuple[int, int]]:
    """Return the positions of any of the phrases, as tokens [first, last)."""
    texts = tuple(token.text for token in said)
    return [
        (first, first + len(words))
        for first in range(len(texts))
        for words in phrases
        if texts[first : first + len(words)] == words
    ]


def marked(said: Sequence[SpokenToken], name: str, han: bool) -> list[tuple[int, int]]:
    """Return the positions of the function words in a list, unless part of a listed exception."""
    spared = places(said, cues(han, f"not_{name}"))
    return [
        (first, last)
        for first, last in places(said, cues(han, name))
        if not any(a <= first and last <= b for a, b in spared)
    ]


def negated(said: Sequence[SpokenToken], verb: int) -> bool:
    """Return whether a negator comes before the token ``verb`` in the same part of the sentence."""
    han = said[verb].han
    new = places(said, cues(han, "boundary", "subject"))
    bounds = [last for _, last in new if last <= verb]
    breaks = [i + 1 for i in range(verb) if said[i].breaks]
    first = max([verb - REACH[han], 0, *bounds, *breaks])
    return any(first <= a and b <= verb for a, b in marked(said, "negation", han))


def announces(said: Sequence[SpokenToken]) -> bool:
    """Return whether the tokens contain an intent marker."""
    return any(marked(said, "intent", han) for han in sorted({token.han for token in said}))

"""The words and Chinese characters of an utterance, as tokens for finding terms."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from surgqa.transforms.evidence.speech.clean import spelled

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_PART = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff]|[^\W_]+(?:['\u2019][^\W_]+)*|[,;:.?!，；：。？！、]"
)
_BREAKS = ",;:.?!，；：。？！、"
_ENDINGS = (("ies", ("y",)), ("es", ("", "e")), ("s", ("",)), ("ing", ("", "e")), ("ed", ("", "e")))


@dataclass(frozen=True, slots=True)
class SpokenToken:
    """A word without punctuation, or one Chinese character.

    Attributes:
        text: the word in its normal spelling, in lower case.
        heard: the word as written by the model.
        start_us, end_us: times of the token's word, or of the token's share of the word.
        breaks: whether a comma or full stop follows.
    """

    text: str
    heard: str
    start_us: int
    end_us: int
    breaks: bool = False

    @property
    def han(self) -> bool:
        """True for a Chinese character."""
        return is_han(self.text)


def is_han(text: str) -> bool:
    """Return whether the text contains a Chinese character."""
    return _HAN.search(text) is not None


def tokens(words: Sequence[Mapping[str, Any]]) -> list[SpokenToken]:
    """Tokens of an utterance's words; the tokens of one word get equal shares of its time."""
    out: list[SpokenToken] = []
    for word in words:
        parts = _PART.findall(word["text"])
        spoken = sum(part not in _BREAKS for part in parts)
        at = 0
        for part in parts:
            if part in _BREAKS:
                if out:
                    out[-1] = replace(out[-1], breaks=True)
                continue
            start, end = (_between(word, at + i, spoken) for i in (0, 1))
            out.append(SpokenToken(spelled(part), part, start, end))
            at += 1
    return out


def _between(word: Mapping[str, Any], at: int, parts: int) -> int:
    """Start time of the part ``at`` of a word, if all its parts are equally long."""
    start, end = word["start_us"], word["end_us"]
    return int(start + (end - start) * at // parts)


def phrase(text: str) -> tuple[str, ...]:
    """Return the tokens of a term."""
    return tuple(spelled(part) for part in _PART.findall(text) if part not in _BREAKS)


def lemma(word: str, known: Container[str]) -> str:
    """Return the word, or its first form without an ending that is a word of the lexicon."""
    return next((form for form in _forms(word) if form in known), word)


def _forms(word: str) -> Iterator[str]:
    yield word
    if word.endswith(("'s", "s'")):
        word = word[: word.rindex("'")]
        yield word
    for ending, instead in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < 3:
            continue
        for letters in instead:
            yield stem + letters
        if stem[-1] == stem[-2] and ending in ("ing", "ed"):
            yield stem[:-1]

"""Normalise recognised text, and cut it into words and Chinese characters as tokens for terms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from surgqa.ontology.concepts import load_data

UNDECODED = "\ufffd"
"""The replacement character that an incomplete character of the model becomes."""

_SPACES = re.compile(r"\s+")
_BEFORE_MARK = re.compile(r"\s+([,.;:?!%，。；：？！])")
_DOUBLED_MARK = re.compile(r"([,;:])\1+")
_HAN_LETTERS = "\u3400-\u4dbf\u4e00-\u9fff"
_BETWEEN_HAN = re.compile(
    rf"(?<=[{_HAN_LETTERS}，。；：？！、])\s+(?=[{_HAN_LETTERS}，。；：？！、])"
)
_ASCII_MARK = re.compile(rf"(?<=[{_HAN_LETTERS}])[,;:?!]|(?<=[{_HAN_LETTERS}])\.(?!\d)")
_WIDE = {",": "，", ";": "；", ":": "：", "?": "？", "!": "！", ".": "。"}
_DOUBLED = re.compile(
    r"\b(the|a|an|of|to|and|in|on|with|for|we|is|are|will|from|at|by)(\s+\1)+\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_ALONE_I = re.compile(r"\bi(?=\b(?!\.\w))")
_SENTENCE_START = re.compile(r"(^|(?<=\w\w)[.?!]\s+)([a-z])")


@cache
def spellings() -> Mapping[str, str]:
    """Return, for each variant in spelling, the one spelling used. Both are lower-case words."""
    return load_data("vocab", "speech")["spelling"]


def spelled(word: str) -> str:
    """Return a word in its normal spelling, in lower case, with straight apostrophes."""
    lower = word.lower().replace("\u2019", "'")
    return spellings().get(lower, lower)


def clean(text: str, language: str) -> str:
    """Return a sentence as a person would write it; the words do not change.

    Args:
        text: the recognised text.
        language: two-letter code; Chinese gets no spaces, and full-width punctuation.
    """
    text = unicodedata.normalize("NFC", text).replace(UNDECODED, "")
    text = _SPACES.sub(" ", text).strip()
    text = _DOUBLED_MARK.sub(r"\1", _BEFORE_MARK.sub(r"\1", text))
    if language == "zh":
        text = _BETWEEN_HAN.sub("", text)
        return _ASCII_MARK.sub(lambda m: _WIDE[m[0]], text)
    if language == "en":
        text = _DOUBLED.sub(r"\1", text)
        text = _WORD.sub(lambda m: _respelled(m[0]), text)
        text = _ALONE_I.sub("I", text)
    text = _SENTENCE_START.sub(lambda m: m[1] + m[2].upper(), text)
    return text + "." if text and text[-1].isalnum() else text


def _respelled(word: str) -> str:
    new = spellings().get(word.lower().replace("\u2019", "'"))
    if new is None:
        return word
    if word.isupper():
        return new.upper()
    return new.capitalize() if word[0].isupper() else new


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

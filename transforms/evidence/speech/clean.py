"""Normalise recognised text: spaces, repeated words, spelling, case; no word is guessed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

from surgqa.ontology.concepts import load_data

UNDECODED = "\ufffd"
"""The replacement character that an incomplete character of the model becomes."""

_SPACES = re.compile(r"\s+")
_BEFORE_MARK = re.compile(r"\s+([,.;:?!%，。；：？！])")
_DOUBLED_MARK = re.compile(r"([,;:])\1+")
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_BETWEEN_HAN = re.compile(rf"(?<=[{_HAN}，。；：？！、])\s+(?=[{_HAN}，。；：？！、])")
_ASCII_MARK = re.compile(rf"(?<=[{_HAN}])[,;:?!]|(?<=[{_HAN}])\.(?!\d)")
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

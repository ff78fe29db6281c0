"""The words of a text with their positions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from surgqa.transforms.evidence.privacy.terms import plain
from surgqa.transforms.evidence.privacy.words import LETTERS

TOKEN = re.compile(rf"{LETTERS}+(?:[-'’]{LETTERS}+)*|\d+")
_MARK = re.compile(r"\[[A-Z]+\]")


@dataclass(frozen=True, slots=True)
class TextToken:
    """A word with its position.

    Attributes:
        start, end: position in the text, in characters; ``end`` is exclusive.
        text: as written.
        word: in lower case, without a genitive ending.
        gap: the text between the previous word and this one.
    """

    start: int
    end: int
    text: str
    word: str
    gap: str

    @property
    def capital(self) -> bool:
        """Whether the word begins with a capital and is not an abbreviation in capitals."""
        return self.text[0].isupper() and not (len(self.text) > 1 and self.text.isupper())

    @property
    def first(self) -> bool:
        """Whether the word begins a sentence, so that its capital means nothing."""
        return self.start == 0 or any(sign in self.gap for sign in '.?!\n"“')


def tokens_of(text: str) -> list[TextToken]:
    """Words and figures of a text, without masked parts."""
    out: list[TextToken] = []
    hidden = {i for mark in _MARK.finditer(text) for i in range(*mark.span())}
    place = 0
    for match in TOKEN.finditer(text):
        if match.start() not in hidden:
            word = plain(match[0])
            out.append(TextToken(*match.span(), match[0], word, text[place : match.start()]))
        place = match.end()
    return out

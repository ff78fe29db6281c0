"""Words of a text in their places."""

from __future__ import annotations

import re
from dataclasses import dataclass

from transforms.evidence.privacy.terms import plain
from transforms.evidence.privacy.words import LETTERS

TOKEN = re.compile(rf"{LETTERS}+(?:[-'’]{LETTERS}+)*|\d+")
_MARK = re.compile(r"\[[A-Z]+\]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word in its place.

    Attributes:
        start, end: characters of the text.
        text: as written.
        word: in lower case, without the ending of a genitive.
        gap: what stands between it and the word before.
    """

    start: int
    end: int
    text: str
    word: str
    gap: str

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital and is no abbreviation in capitals."""
        return self.text[0].isupper() and not (len(self.text) > 1 and self.text.isupper())

    @property
    def first(self) -> bool:
        """Whether a sentence begins with it, so that a capital says nothing."""
        return self.start == 0 or any(sign in self.gap for sign in '.?!\n"“')


def tokens_of(text: str) -> list[Token]:
    """Words and figures of a text, without what is masked."""
    out: list[Token] = []
    hidden = {i for mark in _MARK.finditer(text) for i in range(*mark.span())}
    place = 0
    for match in TOKEN.finditer(text):
        if match.start() not in hidden:
            word = plain(match[0])
            out.append(Token(*match.span(), match[0], word, text[place : match.start()]))
        place = match.end()
    return out

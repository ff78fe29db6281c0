"""What a word of recognised speech looks like by itself: its case, its lists, its sound.

The features of the learned model (``features.py``) are made from these.  All of it is computed with
integers, sets and text, so every platform gets the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from surgqa.transforms.evidence.privacy.gazetteer import (
    family_rank,
    given_rank,
    is_common_word,
    is_word,
)
from surgqa.transforms.evidence.privacy.sounding import like_a_name, near_a_name
from surgqa.transforms.evidence.privacy.spoken import ONES, TEENS, TENS
from surgqa.transforms.evidence.privacy.terms import is_eponym, is_term, near_term, plain
from surgqa.transforms.evidence.privacy.words import LETTERS, words

_CORE = re.compile(rf"(?:{LETTERS}|\d)(?:.*(?:{LETTERS}|\d))?")
_MASK = re.compile(r"\[([A-Z]+)\]")
_STOPS = ",?!."
SHORT, HEARD = 3, 2


@dataclass(frozen=True, slots=True)
class WordForm:
    """One word without its neighbours.

    Attributes:
        start, end: the letters and digits within the written word, in characters.
        word: in lower case, without a genitive ending; empty for punctuation.
        owns: whether the word has a genitive ending.
        case: ``C`` capital, ``A`` all capitals, ``I`` one capital, ``l`` lower case, ``D`` digits,
            ``X`` digits and letters, ``0`` punctuation.
        sort: ``#`` figures, ``n`` number in words, ``P`` eponym, ``M`` medical term, ``E`` common
            word, ``e`` common word with an ending, ``m`` misspelled term, ``s`` short word, ``U``
            unknown word, ``-`` punctuation.
        given, family: how frequent the word is as a given and as a family name, 0 (none) to 3.
        sounds: 1 if the word sounds like a name, plus 2 if it is a name but for a letter or two.
        hyphen: whether a hyphen comes before the word.
        stop: punctuation after the word: one of ``,?!.``, ``:`` for any other, or empty.
        hidden: if the word is masked, the kind of mask, such as NAME; else empty.
    """

    start: int
    end: int
    word: str
    owns: bool
    case: str
    sort: str
    given: int
    family: int
    sounds: int
    hyphen: bool
    stop: str
    hidden: str = ""

    @property
    def group(self) -> str:
        """Number (``#``), common word (``E``), medical term (``M``) or unknown (``U``)."""
        if self.sort in "#n":
            return "#"
        return "E" if self.sort in "Ee" else "M" if self.sort in "MmP" else "U"

    @property
    def named(self) -> str:
        """Lists with the word: ``g`` given names, ``f`` family names, ``b`` both, ``-`` none."""
        return ("-", "f", "g", "b")[2 * (self.given > 0) + (self.family > 0)]

    @property
    def shape(self) -> str:
        """``case``, ``sort`` and ``named``, three letters."""
        return self.case + self.sort + self.named

    @property
    def coarse(self) -> str:
        """``group``, the case (``l`` unless capital), and ``n`` if a list of names has the word."""
        case = self.case if self.case in "CAI" else "l"
        return self.group + case + ("n" if self.named != "-" else "")


def outside(word: str) -> WordForm:
    """Return the form that stands for a border: the text's start or end, or between utterances."""
    return WordForm(0, 0, word, False, "<", "<", 0, 0, 0, False, "")


@lru_cache(maxsize=1 << 14)
def form_of(written: str) -> WordForm:
    """Return the form of a written word, which may have punctuation before and after it.

    A masked word gets the form of an unknown name or of a number, without punctuation: masking an
    utterance word by word removes the punctuation, and both must give the same form.
    """
    masked = _MASK.search(written)
    if masked:
        number = masked[1] not in ("NAME", "PLACE", "EMAIL", "URL")
        case, sort = ("D", "#") if number else ("C", "U")
        return WordForm(*masked.span(), "", False, case, sort, 0, 0, 0, False, "", masked[1])
    core = _CORE.search(written)
    if core is None:
        return WordForm(0, 0, "", False, "0", "-", 0, 0, 0, "-" in written, _stop(written))
    word = plain(core[0])
    sort = _sort(core[0], word)
    return WordForm(
        *core.span(), word, word != core[0].lower(), _case(core[0]), sort,
        given_rank(word), family_rank(word), _sounds(word, sort),
        "-" in written[: core.start()], _stop(written[core.end() :]),
    )  # fmt: skip


def _stop(signs: str) -> str:
    return next((stop for stop in _STOPS if stop in signs), ":" if signs else "")


def _case(core: str) -> str:
    if any(letter.isdigit() for letter in core):
        return "X" if any(letter.isalpha() for letter in core) else "D"
    if len(core) > 1 and core.isupper():
        return "A"
    if len(core) == 1 and core.isupper() and core != "I":
        return "I"
    return "C" if core[0].isupper() else "l"


def _sort(core: str, word: str) -> str:
    if any(letter.isdigit() for letter in core):
        return "#"
    tests = (
        ("n", word in _numbers()), ("P", is_eponym(core)), ("M", is_term(word)),
        ("E", is_common_word(word)), ("e", is_word(word)), ("m", near_term(word)),
        ("s", len(word) < SHORT),
    )  # fmt: skip
    return next((sort for sort, holds in tests if holds), "U")


@cache
def _numbers() -> frozenset[str]:
    counted = "|".join((ONES, TEENS, TENS)).split("|")
    return words("digits") | {*counted, "hundred", "thousand", "double", "triple"}


def _sounds(word: str, sort: str) -> int:
    if sort not in "EeUmP" or len(word) <= HEARD:
        return 0
    return like_a_name([word]) + 2 * near_a_name(word)


@cache
def value_of(digits: str) -> str:
    """Return one letter for the range of a number, such as 1 to 9; empty without digits."""
    figures = re.sub(r"\D", "", digits)[:9]
    if not figures:
        return ""
    value = int(figures)
    limits = ((1, "z"), (10, "a"), (13, "b"), (32, "c"), (90, "d"), (110, "o"), (1000, "e"))
    small = next((letter for limit, letter in limits if value < limit), "")
    return small or ("y" if 1900 <= value < 2030 else "f")

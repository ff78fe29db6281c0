"""Words that do not name a patient: instruments, structures, actions, brands and eponyms."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from rapidfuzz.distance import Levenshtein

from surgqa.transforms.evidence.privacy.words import words

_LETTERS = re.compile(r"[a-zà-öø-ÿ]+")
_OWNER = re.compile(r"['’]s?$")
NEAR, NEAR_LETTERS = 0.75, 6
"""Minimum share of common letters, and minimum letters, of a misheard medical term."""
LONG_NEAR, LONG_LETTERS = 0.6, 10
"""The same for a long term, which more words can be mistaken for."""
SPEECH_PARTS = ("said", "display", "needs")


def plain(word: str) -> str:
    """A word in lower case, without a genitive ending."""
    return _OWNER.sub("", word.lower())


def is_eponym(word: str) -> bool:
    """Whether the word is in the name of a structure, instrument, manoeuvre or brand."""
    return plain(word) in words("eponyms")


def is_term(word: str) -> bool:
    """Whether a word is in the ontology or in surgical speech, or has a medical ending."""
    word = plain(word)
    return word in terms() or word in words("eponym_nouns") or medical(word)


@lru_cache(maxsize=1 << 14)
def near_term(word: str) -> bool:
    """Whether a word is a misspelled medical term or eponym ("Galstones")."""
    word = plain(word)
    if len(word) < NEAR_LETTERS:
        return False
    known = (one for one in terms() | words("eponyms") if abs(len(one) - len(word)) < 3)
    return any(Levenshtein.normalized_similarity(word, one) >= NEAR for one in known)


@lru_cache(maxsize=1 << 14)
def near_long_term(letters: str) -> bool:
    """Whether one or two words together are a long medical term, misheard ("cholum geodram")."""
    if len(letters) < LONG_LETTERS:
        return False
    known = (
        one for one in terms() if len(one) >= LONG_LETTERS and abs(len(one) - len(letters)) < 4
    )
    return any(Levenshtein.normalized_similarity(letters, one) >= LONG_NEAR for one in known)


def medical(word: str) -> bool:
    """Whether a word has an ending that is typical of medical words."""
    return len(word) > 6 and word.endswith(tuple(sorted(words("medical_endings"))))


@cache
def terms() -> frozenset[str]:
    """Words of the ontology and of surgical speech, in lower case, without eponyms."""
    from surgqa.ontology.concepts import KINDS, load_data, vocabulary

    found: set[str] = set(words("medical_words"))
    for kind in KINDS:
        for term in vocabulary(kind).values():
            for phrase in (term.display, term.third, term.gerund, *term.synonyms):
                found.update(_LETTERS.findall((phrase or "").lower()))
    for name in ("id_cues", "labels", "units", "counted"):
        found.update(
            one for phrase in words(name) for one in _LETTERS.findall(phrase) if len(one) > 3
        )
    speech = load_data("vocab", "speech")
    entries = [*speech["landmarks"].values(), *(e for k in speech["terms"].values()
               for e in k.values())]  # fmt: skip
    for entry in entries:
        for part in SPEECH_PARTS:
            told = entry.get(part, ())
            for phrase in [told] if isinstance(told, str) else told:
                found.update(_LETTERS.findall(phrase.lower()))
    return frozenset(found - words("eponyms"))

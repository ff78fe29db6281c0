"""Whether recognised words sound like a person's name ("with field": Whitfield).

A recogniser writes common words for a name that it does not know.  They share the order of
consonants and most letters with the name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from surgqa.transforms.evidence.privacy.gazetteer import is_given, name_list
from surgqa.transforms.evidence.privacy.terms import terms

LIKE = 0.74
"""Minimum share of letters in common with the name."""
SHORTEST = 4
SPLIT, ALMOST, GIVEN, HALF = 8, 0.85, 6, 5
"""For a name written as several common words ("black wood"): minimum letters of the name (SPLIT),
or of a given name that the words spell exactly (GIVEN), minimum share of common letters (ALMOST),
and minimum letters of the longest word (HALF)."""
NEAR, LONG = 0.84, 7
"""Minimum share of common letters, and minimum letters, of a word that is nearly a name."""
TERM, TERM_LIKE = 3, 0.55
"""Minimum consonants of a word that sounds like a medical term, and minimum share of letters that
it has in common with the term."""
_SOUNDS = tuple(
    (re.compile(pattern), letters)
    for pattern, letters in (
        ("[^a-z]", ""), ("^[kg]n", "n"), ("^wr", "r"), ("ph", "f"), ("ght", "t"),
        ("tch|sch|[cs]h|dg|j", "j"), ("ck|q", "k"), ("c(?=[eiy])", "s"), ("c", "k"), ("x", "ks"),
        ("z", "s"), ("v", "f"), ("d|th", "t"), ("b", "p"), ("g", "k"), ("[hwy]", ""),
    )
)  # fmt: skip


def like_a_name(words: Sequence[str]) -> bool:
    """Whether lower-case words, read as one word, sound like a name that is not very rare."""
    return _like("".join(words), SHORTEST, LIKE)


def split_name(words: Sequence[str]) -> bool:
    """Whether lower-case words are a long name in two or three pieces ("black wood", "to bias")."""
    whole = "".join(words)
    if len(whole) >= GIVEN and is_given(whole):
        return True
    return max(map(len, words)) >= HALF and _like(whole, SPLIT, ALMOST)


@lru_cache(maxsize=1 << 14)
def _like(text: str, shortest: int, like: float) -> bool:
    letters = re.sub("[^a-z]", "", text)
    return len(letters) >= shortest and any(
        Levenshtein.normalized_similarity(letters, name) >= like
        for name in _by_sound().get(sound(letters), ())
    )


@lru_cache(maxsize=1 << 14)
def like_a_term(whole: str) -> bool:
    """Whether letters sound like a medical term, its beginning ("laperusca"), or more than one."""
    heard = sound(whole)
    if len(whole) < SHORTEST or len(heard) < TERM:
        return False
    for known, term in _terms_by_sound():
        least = min(len(heard), len(known))
        begins = least > TERM and heard[:least] == known[:least]
        if heard == known or begins:
            like = Levenshtein.normalized_similarity(whole[: len(term)], term[: len(whole)])
            if like >= TERM_LIKE:
                return True
    return False


@cache
def _terms_by_sound() -> tuple[tuple[str, str], ...]:
    return tuple((sound(term), term) for term in sorted(terms()) if len(term) > SHORTEST)


@lru_cache(maxsize=1 << 14)
def near_a_name(word: str, longest: int = LONG, near: float = NEAR) -> bool:
    """Whether a lower-case word is a name but for one or two letters ("salamar")."""
    if len(word) < longest:
        return False
    best = process.extractOne(
        word, name_list(), scorer=Levenshtein.normalized_similarity, score_cutoff=near
    )
    return best is not None


def sound(word: str) -> str:
    """The consonants of a word, confusable ones made equal, and a mark for a vowel at its start.

    >>> sound("withfield") == sound("whitfield")
    True
    """
    for pattern, letters in _SOUNDS:
        word = pattern.sub(letters, word)
    first = "a" if word[:1] in tuple("aeiou") else ""
    return first + re.sub(r"(.)\1+", r"\1", re.sub("[aeiou]", "", word))


@cache
def _by_sound() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in name_list():
        if len(name) >= SHORTEST:
            found.setdefault(sound(name), []).append(name)
    return found

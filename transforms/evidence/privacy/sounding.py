"""Whether words that were recognised sound like somebody's name ("with field": Whitfield).

A recogniser writes common words for a name that it does not know.  What they share with the name is
the order of consonants and most of the letters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from transforms.evidence.privacy.gazetteer import is_given, name_list

LIKE = 0.74
"""Least share of letters in common with the name."""
SHORTEST = 4
SPLIT, ALMOST, GIVEN, HALF = 8, 0.85, 6, 5
"""Least letters, and least share in common, of a name that common words make wherever they are;
least letters of a given name that they are to the letter, and of the longest word otherwise."""
NEAR, LONG = 0.84, 7
"""Least share of letters and least letters of a single word that is nearly a name."""
_SOUNDS = tuple(
    (re.compile(pattern), letters)
    for pattern, letters in (
        ("[^a-z]", ""), ("^[kg]n", "n"), ("^wr", "r"), ("ph", "f"), ("ght", "t"),
        ("tch|sch|[cs]h|dg|j", "j"), ("ck|q", "k"), ("c(?=[eiy])", "s"), ("c", "k"), ("x", "ks"),
        ("z", "s"), ("v", "f"), ("d|th", "t"), ("b", "p"), ("g", "k"), ("[hwy]", ""),
    )
)  # fmt: skip


def like_a_name(words: Sequence[str]) -> bool:
    """Whether words in lower case, said as one, sound like a name that more than a few have."""
    return _like("".join(words), SHORTEST, LIKE)


def split_name(words: Sequence[str]) -> bool:
    """Whether words in lower case are a long name in two or three ("black wood", "to bias")."""
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
def near_a_name(word: str, longest: int = LONG, near: float = NEAR) -> bool:
    """Whether a word in lower case differs from such a name in a letter or two ("salamar")."""
    if len(word) < longest:
        return False
    best = process.extractOne(
        word, name_list(), scorer=Levenshtein.normalized_similarity, score_cutoff=near
    )
    return best is not None


def sound(word: str) -> str:
    """Consonants of a word, those alike that are misheard for each other, and a vowel at its start.

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

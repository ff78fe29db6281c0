"""Which words are names of people: the names of the US census of 1990, without common words.

The package ``names`` contains them (88,799 family names and 5,163 given names).  Only its data
files are read, on first use, into two sorted arrays of about one megabyte.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import resources

import numpy as np

from surgqa.ontology.errors import PackageMissing
from surgqa.transforms.evidence.privacy.words import words

PACKAGE = "names"
GIVEN = ("dist.female.first", "dist.male.first")
FREQUENT = 0.01
FAMILY = ("dist.all.last",)
SHARED = 0.001
GIVEN_STEPS, FAMILY_STEPS = (0.0, 0.01, 0.1), (0.0, 0.0005, 0.005)
"""Percent of people from which a name counts as rare, known, and frequent."""


@lru_cache(maxsize=1 << 14)
def is_given(word: str) -> bool:
    """Whether a lower-case word is a given name and not a common word."""
    return (word in words("given_names") or _among(_given(), word)) and not is_word(word)


@lru_cache(maxsize=1 << 14)
def is_census_given(word: str) -> bool:
    """Whether a word is a frequent given name, even if it is a common word too (Victor)."""
    return _among(_frequent(), word) or word in words("ambiguous_given")


def is_listed(word: str) -> bool:
    """Whether exactly this word, without removing endings, is common or a medical term."""
    from surgqa.transforms.evidence.privacy.terms import is_term

    return is_term(word) or word in _common()


@lru_cache(maxsize=1 << 14)
def is_frequent(word: str) -> bool:
    """Whether a word is a frequent given name (at least 1 person in 10,000 has it)."""
    return word in words("given_names") or _among(_frequent(), word)


@lru_cache(maxsize=1 << 14)
def is_family(word: str) -> bool:
    """Whether a lower-case word is a family name and not a common word."""
    return _among(_family(), word.replace("'", "").replace("’", "")) and not is_word(word)


def is_surname(word: str) -> bool:
    """Whether a lower-case word is a family name, even if it is a common word too (Brand)."""
    return _among(_family(), word)


@lru_cache(maxsize=1 << 14)
def is_word(word: str) -> bool:
    """Whether a lower-case word is common, in English or in operating theatres.

    Inflected forms (retracts, clipped) count as the word itself.
    """
    from surgqa.transforms.evidence.privacy.terms import is_term

    if is_listed(word):
        return True
    if word in words("given_names") or _among(_given(), word):
        return False
    return any(
        word.endswith(end) and (word[: -len(end)] in _common() or is_term(word[: -len(end)]))
        for end in ("s", "es", "d", "ed", "ing", "ly")
    )


@lru_cache(maxsize=1 << 14)
def given_rank(word: str) -> int:
    """How frequent a word is as a given name: 0 (it is none) to 3, whatever else it means."""
    return sum(_among(names, word) for names in _ranked(GIVEN, GIVEN_STEPS))


@lru_cache(maxsize=1 << 14)
def family_rank(word: str) -> int:
    """How frequent a word is as a family name: 0 (it is none) to 3, whatever else it means."""
    return sum(_among(names, word) for names in _ranked(FAMILY, FAMILY_STEPS))


def is_common_word(word: str) -> bool:
    """Whether exactly this word, without removing endings, is common in English."""
    return word in _common()


@cache
def _ranked(files: tuple[str, ...], steps: tuple[float, ...]) -> tuple[np.ndarray, ...]:
    return tuple(_listed(files, least) for least in steps)


@cache
def name_list() -> tuple[str, ...]:
    """Given names, and family names of at least 1 person in 100,000, in lower case."""
    both = np.concatenate([_given(), _listed(FAMILY, SHARED)])
    return tuple(name.decode("ascii").lower() for name in np.unique(both))


def _among(known: np.ndarray, word: str) -> bool:
    try:
        key = word.upper().encode("ascii")
    except UnicodeEncodeError:
        return False
    place = int(np.searchsorted(known, key))
    return place < len(known) and known[place] == key


@cache
def _given() -> np.ndarray:
    return _listed(GIVEN)


@cache
def _frequent() -> np.ndarray:
    return _listed(GIVEN, FREQUENT)


@cache
def _family() -> np.ndarray:
    return _listed(FAMILY)


def _listed(files: tuple[str, ...], least: float = 0.0) -> np.ndarray:
    """Sorted names in capitals, as bytes; only names of at least ``least`` percent of people."""
    try:
        import names

        folder = resources.files(names)
        data = [(folder / file).read_bytes() for file in files]
    except (ImportError, FileNotFoundError):
        raise PackageMissing(
            "cannot mask transcripts: the list of names is not installed",
            expected=f"package {PACKAGE}", found="not installed",
            fix=f"pip install {PACKAGE}",
        ) from None  # fmt: skip
    rows = (line.split() for part in data for line in part.splitlines())
    return np.unique([row[0] for row in rows if float(row[1]) >= least])


@cache
def _common() -> frozenset[str]:
    text = (resources.files("surgqa.ontology") / "vocab" / "common_words.txt").read_text(
        encoding="utf-8"
    )
    return frozenset(line for line in text.splitlines() if not line.startswith("#"))

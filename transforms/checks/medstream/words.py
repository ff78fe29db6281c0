"""Normalises texts, so that different spellings of the same meaning compare equal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from surgqa.ontology.concepts import LABEL_KINDS, vocabulary

_GAPS = re.compile(r"[\s_\-]+")
_MARK = re.compile(r"\A(?:\([a-h]\)|[a-h][.)])\s+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_FIGURES = re.compile(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_ODD = re.compile(r"[^0-9a-z]+")
_EDGES = " \t\n\"'`“”‘’.,;:!?"
_EMPTY = ("yes", "no", "unanswerable", "no alert", "uncertain", "none", "true", "false")


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """Return a reply in lower case, without quotes, extra spaces, final punctuation and letter."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    one = _GAPS.sub(" ", folded).strip(_EDGES)
    return _MARK.sub("", one).strip(_EDGES)


@lru_cache(maxsize=8192)
def words(text: str) -> str:
    """Return the words in lower case, separated and surrounded by single spaces.

    For example, ``KnotTying_01`` gives ``knot tying 01``.

    So ``f" {name} " in words(text)`` finds whole words.
    """
    parted = _FIGURES.sub(" ", _HUMP.sub(" ", unicodedata.normalize("NFKC", text)))
    return f" {_ODD.sub(' ', parted.casefold()).strip()} "


@lru_cache(maxsize=8192)
def compact(text: str) -> str:
    """Return only the letters and digits, in lower case: ``Knot_Tying`` gives ``knottying``."""
    return _ODD.sub("", unicodedata.normalize("NFKC", text).casefold())


def says_nothing(answer: str) -> bool:
    """Return whether an answer may occur in any text: yes, no, a number or a protocol token."""
    one = plain(answer)
    return one in _EMPTY or not re.search(r"[a-z]{2}", one)


@cache
def _terms() -> Mapping[str, frozenset[str]]:
    """Return spelling -> all spellings of the concepts that can be spelled so."""
    out: dict[str, frozenset[str]] = {}
    for kind in LABEL_KINDS:
        for term in vocabulary(kind).values():
            names = frozenset(map(plain, (term.id, term.display, *term.synonyms))) - {""}
            for name in names:
                out[name] = out.get(name, frozenset()) | names
    return out


def names_of(answer: str) -> list[str]:
    """Return an answer and its synonyms, sorted."""
    one = plain(answer)
    return sorted(_terms().get(one, frozenset()) | {one})


@cache
def displays() -> frozenset[str]:
    """Return the display names of all concepts."""
    return frozenset(
        plain(term.display) for kind in LABEL_KINDS for term in vocabulary(kind).values()
    )


@cache
def displays_of(spelling: str) -> frozenset[str]:
    """Return the display names of the concepts that have this id or synonym."""
    one = plain(spelling)
    found = (
        term.display
        for kind in LABEL_KINDS
        for term in vocabulary(kind).values()
        if one in map(plain, (term.id, *term.synonyms))
    )
    return frozenset(found)


def named_in(text: str) -> list[str]:
    """Return the display names that occur in a text as whole words, the longest first."""
    said = words(text.casefold())
    found = (name for name in displays() if words(name) in said)
    return sorted(found, key=lambda name: (-len(name), name))


def spelled(names: Iterable[str], where: str) -> str | None:
    """Return the first name that an id or path contains, or None.

    Separators such as ``_`` are ignored. A short name must be a whole word.
    """
    tight, loose = compact(where), words(where)
    for name in filter(compact, names):
        short = len(compact(name)) < 5
        if words(name) in loose or (not short and compact(name) in tight):
            return name
    return None

"""The alias table of the ontology: names that mean the same concept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from ontology.concepts import LABEL_KINDS, Term, vocabulary
from transforms.scoring.outputs.normalise import letter_of, normalised, number_of

_COMMAS = re.compile(r"\s*[,;|]\s*")
_AND = re.compile(r"\s+and\s+")

Option = tuple[str, str]
"""(key, text)."""


def meanings(name: str, kind: str | None = None) -> frozenset[str]:
    """Return the concepts that a normalised name may mean, as ``kind/id``.

    Args:
        kind: such as ``phase``; None, or a kind without a vocabulary, means every kind.
    """
    known = f"{kind}s" if f"{kind}s" in LABEL_KINDS else None
    return _spellings(known).get(name, frozenset())


@cache
def _spellings(kind: str | None) -> Mapping[str, frozenset[str]]:
    out: dict[str, set[str]] = {}
    for one in (kind,) if kind else LABEL_KINDS:
        for key, term in vocabulary(one).items():
            for name in _names(term):
                out.setdefault(normalised(name), set()).add(f"{one}/{key}")
    return {name: frozenset(concepts) for name, concepts in out.items()}


def _names(term: Term) -> list[str]:
    inflected = [name for name in (term.third, term.gerund) if name]
    articles = [] if inflected else [term.phrase, term.article_phrase, f"the {term.display}"]
    return [term.id, term.display, *inflected, *articles, *term.synonyms]


@cache
def aliases(name: str) -> tuple[str, ...]:
    """Return a name and, if it is a concept's id or display name, all names of that concept."""
    name = normalised(name)
    out = {name: None}
    for kind in LABEL_KINDS:
        for term in vocabulary(kind).values():
            if name in (normalised(term.id), normalised(term.display)):
                out |= dict.fromkeys(normalised(other) for other in _names(term))
    return tuple(out)


def same(a: str, b: str, kind: str | None = None) -> bool:
    """Return whether two normalised texts are equal, the same number, or share a concept."""
    if a == b:
        return True
    number = number_of(a)
    if number is not None:
        return number == number_of(b)
    return bool(meanings(a, kind) & meanings(b, kind))


@lru_cache(maxsize=8192)
def members(text: str, kind: str | None = None) -> frozenset[str]:
    """Return the set that a text lists, split at commas, semicolons, bars and the word "and".

    A known name that contains "and" is not split.  Names of one concept are one member.
    """
    parts = [part for piece in _COMMAS.split(text) for part in _parts(normalised(piece), kind)]
    return frozenset(part for part in parts if part)


def _parts(piece: str, kind: str | None) -> list[str]:
    piece = piece.removeprefix("and ")
    pieces = [piece] if meanings(piece, kind) else _AND.split(piece)
    return [_canonical(part, kind) for part in map(normalised, pieces)]


def _canonical(name: str, kind: str | None) -> str:
    concepts = meanings(name, kind)
    return next(iter(concepts)) if len(concepts) == 1 else name


def chosen(output: str, options: Sequence[Option], kind: str | None, many: bool) -> str | None:
    """Return the text of the one option that an output states, None if it states none.

    These are tried in order: an option's letter, its text, the same number, the same set, a name
    of the same concept.  An output that matches two options in one of these ways states none.

    Args:
        many: whether the options are sets of labels.
    """
    key = letter_of(output)
    for letter, text in options:
        if letter == key:
            return text
    found = next((fits for fits in _ways(output, [t for _, t in options], kind, many) if fits), [])
    return found[0] if len(found) == 1 else None


def _ways(output: str, texts: Sequence[str], kind: str | None, many: bool) -> Iterator[list[str]]:
    """Yield the options that an output matches, for each way of matching in turn."""
    said = normalised(output)
    yield [text for text in texts if normalised(text) == said]
    number = number_of(said)
    if number is not None:
        yield [text for text in texts if number_of(normalised(text)) == number]
    if many:
        said_set = members(output, kind)
        yield [text for text in texts if members(text, kind) == said_set]
    concepts = meanings(said, kind)
    if concepts:
        yield [text for text in texts if meanings(normalised(text), kind) & concepts]

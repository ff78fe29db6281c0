"""Normalise a model's response: find the part that answers, and the concepts that it names.

All functions accept any string and raise no errors.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, lru_cache

from surgqa.ontology.concepts import LABEL_KINDS, Term, vocabulary
from surgqa.transforms.scoring.text import tidy

UNANSWERABLE, NO_ALERT, UNCERTAIN = "unanswerable", "no alert", "uncertain"
"""Tokens of the protocols, as :func:`normalised` spells them."""

_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_THINKING = re.compile(r"\A\s*<think(?:ing)?>", re.IGNORECASE)
_TAGGED = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.IGNORECASE | re.DOTALL)
_BOXED = re.compile(r"\\boxed\{([^{}]*)\}")
_LEAD = re.compile(r"(?:the )?(?:final )?answer(?: is)?\s?:\s?|the (?:final )?answer is\s", re.I)

_SPACES = re.compile(r"[\s_\-\u2010-\u2015\u2212]+")
_OUTER = " \"'“”‘’«»"
_END = ".,;:!?"
_MARK = re.compile(r"(?:\(?[a-z]\)|[a-z][.:](?=\s))\s*(?=\S)")
_LETTER = re.compile(
    r"[\s\"']*(?:option |choice )?[(\[]?([a-z])[)\].:]?[\s.\"']*", re.IGNORECASE
)  # fmt: skip
_WORD = re.compile(r"[^\W_]+")
_ALERT = re.compile(r"alert\s?(?::(.*))?", re.IGNORECASE | re.DOTALL)

_NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,9})?")
_NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip


@lru_cache(maxsize=8192)
def output_of(response: str) -> str:
    """Return the part of a response that answers (the output), '' if there is none.

    Text up to a closing ``</think>`` is dropped. If a ``<think>`` is never closed, there is no
    output. The text in ``<answer>`` or ``\\boxed{}`` is taken, else the text after "answer:" at the
    start of the last line, else the whole text.
    """
    text = tidy(response)
    thoughts = list(_THOUGHT.finditer(text))
    if thoughts:
        text = text[thoughts[-1].end() :]
    elif _THINKING.match(text):
        return ""
    marked = _TAGGED.findall(text) or _BOXED.findall(text)
    if marked:
        return str(marked[-1]).strip()
    lines = text.strip().split("\n")
    lead = _LEAD.match(lines[-1])
    if lead and lines[-1][lead.end() :].strip():
        return lines[-1][lead.end() :].strip()
    return text.strip()


@lru_cache(maxsize=8192)
def normalised(text: str) -> str:
    """Return a text in the uniform spelling in which texts are compared.

    The text is put in Unicode NFKC and case-folded.  Runs of underscores, hyphens and spaces
    become one space.  Outer quotes, end punctuation and a leading option mark (``A.``, ``(b)``,
    ``c)``) are removed; a mark is kept if no text follows it.
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    text = _SPACES.sub(" ", unicodedata.normalize("NFKC", text))
    while True:
        stripped = text.strip(_OUTER).rstrip(_END + _OUTER)
        stripped = _MARK.sub("", stripped, count=1) if _MARK.match(stripped) else stripped
        if stripped == text:
            return text
        text = stripped


def letter_of(output: str) -> str | None:
    """Return "B" for an output such as ``b``, ``(B)`` or ``option B.``; None for others."""
    found = _LETTER.fullmatch(output)
    return found[1].upper() if found else None


def alert_of(output: str) -> str | None:
    """Return the reason of an alert, '' if it states none; None if the output is not an alert.

    An alert is the word ``alert``, alone or followed by a colon and a reason.
    """
    found = _ALERT.fullmatch(output.strip(_OUTER).rstrip(_END[:2] + _OUTER))
    return normalised(found[1] or "") if found else None


def is_positive(mode: str, said: str) -> bool:
    """Return whether an output states that the event has occurred: an alert, or any answer.

    Args:
        mode: ``proactive``, or a mode with answers instead of alerts.
        said: the output, with an option's text instead of its letter.
    """
    if mode == "proactive":
        return alert_of(said) is not None
    return normalised(said) not in ("", UNANSWERABLE)


def number_of(text: str) -> Decimal | None:
    """Return the value of a normalised text that is a number, in digits or a word up to twelve."""
    if text in _NUMBER_WORDS:
        return Decimal(_NUMBER_WORDS.index(text))
    return Decimal(text) if _NUMBER.fullmatch(text) else None


@lru_cache(maxsize=8192)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in the uniform spelling."""
    return tuple(_WORD.findall(normalised(text)))


_COMMAS = re.compile(r"\s*[,;|]\s*")
_AND = re.compile(r"\s+and\s+")

Option = tuple[str, str]
"""(key, text)."""


def meanings(name: str, kind: str | None = None) -> frozenset[str]:
    """Return the concepts that a normalised name may stand for, as ``kind/id``.

    Args:
        kind: a kind of label, such as ``phase``; None, or a kind without a vocabulary, means every
            kind.
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
    """Return the set of names that a text lists, split at commas, semicolons, bars and "and".

    A known name that contains "and" is not split. Different names of one concept count once.
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
    """Return the text of the option that an output chooses, None if it chooses none.

    The output is compared with each option's letter, then text, number, set of names and concept.
    The first of these that matches an option decides. If it matches two options, none is chosen.

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
    """Yield the texts of the options that an output matches, for each way of matching."""
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

"""Find labels, such as "clip applier", in running text.

At each position, the longest known spelling is found. Spellings are the ids, display names,
inflections and synonyms of :mod:`ontology.concepts`. Texts are compared word by word without case,
so that hyphens, underscores and line ends in a name do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from surgqa.ontology.concepts import LABEL_KINDS, Term, load_data, raw_terms, scale, vocabulary
from surgqa.ontology.names import words_of
from surgqa.ontology.ratings import rating

_WORD = re.compile(r"[^\W_]+")
_ARTICLES = frozenset({"the", "this", "a", "an", "that", "video", "entire", "whole", "each"})
_OTHER_KINDS = {"verbs": ("instruments",), "instruments": (), "targets": ()}

SPEED_SPELLINGS = {
    "stationary": ("still", "static", "motionless", "immobile", "not moving"),
    "slow": ("slowly",),
    "moderate": ("moderately",),
    "fast": ("quick", "quickly", "rapid", "rapidly"),
}
"""More spellings of the speed words of ``ontology/vocab/speeds.yaml``."""


@dataclass(frozen=True, slots=True)
class LabelInText:
    """One label in a text: its id, and the position of its name, ``text[start:end]``."""

    id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The spellings of one kind of label.

    Attributes:
        ids: words of a spelling -> concept id; None for a name of another kind that begins with a
            name of this kind ("clip applier" is not the verb "clip").
        longest: largest number of words in one spelling.
        bare: base forms of verbs, which are not verbs after an article ("the clip").
    """

    ids: Mapping[tuple[str, ...], str | None]
    longest: int
    bare: frozenset[str]

    def find(self, text: str) -> list[LabelInText]:
        """Return all labels of a text in reading order."""
        spans = [(m.group(), m.start(), m.end()) for m in _WORD.finditer(text.casefold())]
        words = [word for word, _, _ in spans]
        found, at = [], 0
        while at < len(words):
            size = self._match(words, at)
            if size:
                label = self.ids[tuple(words[at : at + size])]
                if label is not None:
                    found.append(LabelInText(label, spans[at][1], spans[at + size - 1][2]))
            at += size or 1
        return found

    def _match(self, words: list[str], at: int) -> int:
        for size in range(min(self.longest, len(words) - at), 0, -1):
            if tuple(words[at : at + size]) not in self.ids:
                continue
            noun = size == 1 and words[at] in self.bare and at and words[at - 1] in _ARTICLES
            return 0 if noun else size
        return 0


WORD_SPELLINGS = {
    **SPEED_SPELLINGS,
    "approximately maintained": ("maintained", "unchanged", "constant", "the same"),
    "closer": ("nearer",),
    "farther": ("further", "farther apart", "further apart"),
    "left": ("to the left",), "right": ("to the right",),
    "above": ("higher",), "below": ("lower down", "beneath"),
}  # fmt: skip
"""Further spellings of words such as ratings, regions of the image and sides."""


@cache
def lexicon(kind: str, extra: tuple[str, ...] = ()) -> Lexicon:
    """Return the spellings of one kind of label.

    Args:
        kind: one of :data:`ontology.concepts.LABEL_KINDS`; ``any`` for labels of every kind;
            ``effects``, ``speeds``, or ``words`` for the words of all scales.
        extra: further ids that may occur, such as a user's labels; they need not be in a
            vocabulary.
    """
    more = {word: (word, word.replace("_", " ")) for word in extra}
    if kind == "speeds":
        return _lexicon(
            {word: (word, *SPEED_SPELLINGS.get(word, ())) for word in scale("speed").words}, {}
        )
    if kind == "words":
        words = dict.fromkeys((*_words(), *extra))
        return _lexicon({word: (word, *WORD_SPELLINGS.get(word, ())) for word in words}, {})
    terms = _terms(kind)
    spellings = {key: _spellings(term, kind) for key, term in terms.items()}
    bare = {term.display for term in terms.values()} if kind == "verbs" else set()
    masks: dict[tuple[str, ...], None] = {}
    for other in _OTHER_KINDS.get(kind, ()):
        for term in vocabulary(other).values():
            masks |= dict.fromkeys(words_of(name) for name in _spellings(term, other))
    return _lexicon({**more, **spellings}, masks, frozenset(bare))


def _terms(kind: str) -> Mapping[str, Term]:
    if kind == "any":
        return {key: term for one in LABEL_KINDS for key, term in vocabulary(one).items()}
    if kind == "effects":
        effects = load_data("knowledge", "effects")["effects"]
        return {key: Term(key, key, key, synonyms=_sayings(one)) for key, one in effects.items()}
    return vocabulary(kind) if kind in LABEL_KINDS else {}


def _sayings(effect: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the spellings of an effect of an action: synonyms, and parts of its phrase."""
    parts = (part.strip() for part in effect["text"].split("{target}"))
    return (*effect.get("synonyms", ()), *(part for part in parts if " " in part))


@cache
def _words() -> tuple[str, ...]:
    """Return the words for ratings, regions of the image and sides."""
    scales = [rows for rows in load_data("vocab", "speeds").values() if isinstance(rows, list)]
    words = [row["word"] for rows in scales for row in rows]
    for name, term in raw_terms("ratings").items():
        groups = rating(name).buckets.values() if "range" in term else ()
        words += [word for steps in groups for word in steps.words]
    across, down = ("left", "centre", "right"), ("upper", "middle", "lower")
    words += [f"{y} {x}" for y in down for x in across] + ["left", "right", "above", "below"]
    return tuple(dict.fromkeys(words))


def _spellings(term: Term, kind: str) -> tuple[str, ...]:
    names = tuple(n for n in (term.id, term.display, term.third, term.gerund) if n) + term.synonyms
    if kind == "verbs":
        return names
    return names + tuple(f"{name}s" for name in names if not name.endswith("s"))


def _lexicon(
    spellings: Mapping[str, tuple[str, ...]],
    masks: Mapping[tuple[str, ...], None],
    bare: frozenset[str] = frozenset(),
) -> Lexicon:
    ids: dict[tuple[str, ...], str | None] = {key: None for key in masks if len(key) > 1}
    for label, names in spellings.items():
        ids |= {words_of(name): label for name in names if words_of(name) not in ids}
    return Lexicon(ids, max((len(words) for words in ids), default=0), bare)


def labels(text: str, kind: str, extra: tuple[str, ...] = ()) -> list[str]:
    """Return the ids of all labels of one kind in reading order, with repetitions."""
    return [found.id for found in lexicon(kind, extra).find(text)]


def first_label(text: str, kind: str) -> str | None:
    """Return the id of the first label of one kind in a text, or None."""
    return next(iter(labels(text, kind)), None)

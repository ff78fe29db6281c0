"""Terms as they are spoken, from the vocabularies and speech.yaml, and function words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from surgqa.ontology.concepts import core_vocabulary, load_data, vocabulary
from surgqa.transforms.evidence.speech.tokens import is_han, lemma, phrase

KINDS = {"instrument": "instruments", "verb": "verbs", "target": "targets", "phase": "phases"}
SLOTS = {"instrument": "tool", "verb": "action", "target": "tissue", "phase": "phase"}

OFFICIAL, COLLOQUIAL, MISHEARD = range(3)


@dataclass(frozen=True, slots=True, order=True)
class Sense:
    """One meaning of one phrase.

    Attributes:
        tier: official, colloquial or misheard, in order of preference.
        kind: instrument, verb, target, phase, landmark or object.
        concept: concept id.
        slot: slot of an anchor (tool, action, tissue, phase), or empty.
        procedures: parts of the names of procedures with this meaning; empty for all.
        needs: words of which at least one must be near the phrase.
    """

    tier: int
    kind: str
    concept: str
    slot: str = ""
    procedures: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    @property
    def is_verb(self) -> bool:
        """True if the meaning is an action, not a thing."""
        return self.kind == "verb"


@dataclass(frozen=True, slots=True, eq=False)
class PhraseLexicon:
    """All phrases that name a term, such as "hook" or "take down", and their meanings.

    Attributes:
        words: for each phrase, as lemmas, its meanings, the best tier first.
        signs: for each Chinese phrase, its meanings.
        letters: for the letters of each phrase without spaces, its lemmas; used to compare letters.
        known: all words of all phrases.
        longest: maximum number of words in a phrase.
        most_signs: maximum number of characters in a Chinese phrase.
    """

    words: Mapping[tuple[str, ...], tuple[Sense, ...]]
    signs: Mapping[str, tuple[Sense, ...]]
    letters: Mapping[str, tuple[str, ...]]
    known: frozenset[str]
    longest: int
    most_signs: int

    def lemmas(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Return words in the form in which the phrases contain them."""
        return tuple(lemma(text, self.known) for text in texts)


@cache
def lexicon() -> PhraseLexicon:
    """Return the lexicon of the vocabularies and ``ontology/vocab/speech.yaml``; built once."""
    found: dict[tuple[str, ...], set[Sense]] = {}
    signs: dict[str, set[Sense]] = {}
    for text, sense in _phrases():
        if is_han(text):
            signs.setdefault("".join(phrase(text)), set()).add(sense)
        elif words := phrase(text):
            found.setdefault(words, set()).add(sense)
    known = frozenset(word for words in found for word in words)
    ordered = {words: tuple(sorted(senses)) for words, senses in sorted(found.items())}
    return PhraseLexicon(
        ordered,
        {text: tuple(sorted(senses)) for text, senses in sorted(signs.items())},
        # If a term is also listed as one word, the form with several words is kept.
        {"".join(words): words for words in sorted(ordered, key=len)},
        known,
        max(map(len, ordered)),
        max(map(len, signs)),
    )


def _phrases() -> Iterator[tuple[str, Sense]]:
    data = load_data("vocab", "speech")
    for kind, name in KINDS.items():
        unsaid, spoken = data["unsaid"].get(kind, ()), data["terms"][kind]
        # Terms of a specialty are used only if speech.yaml lists how they are said.
        field = {key: term for key, term in vocabulary(name).items() if key in spoken}
        for concept, term in {**core_vocabulary(name), **field}.items():
            if concept in unsaid:
                continue
            extra = spoken.get(concept, {})
            official = [term.display, term.third, term.gerund]
            said = [*(s for s in term.synonyms if s not in data["unsaid_synonyms"])]
            yield from _senses(kind, concept, SLOTS[kind], official, said, extra)
    for concept, extra in data["landmarks"].items():
        kind = extra.get("kind", "landmark")
        official = [extra["display"]]
        yield from _senses(kind, concept, extra.get("slot", ""), official, [], extra)


def _senses(
    kind: str,
    concept: str,
    slot: str,
    official: list[str],
    synonyms: list[str],
    extra: Mapping[str, Any],
) -> Iterator[tuple[str, Sense]]:
    tiers = {
        OFFICIAL: [*official, *extra.get("zh", ())],
        COLLOQUIAL: [*synonyms, *extra.get("said", ())],
        MISHEARD: extra.get("heard", ()),
    }
    limits = tuple(extra.get("procedures", ())), tuple(extra.get("needs", ()))
    for tier, texts in tiers.items():
        for text in filter(None, texts):
            # Chinese phrases are unambiguous without another word near them.
            needs = () if is_han(text) else limits[1]
            yield text, Sense(tier, kind, concept, slot, limits[0], needs)


@cache
def cues(han: bool, *names: str) -> tuple[tuple[str, ...], ...]:
    """Return the function words in lists of ``speech_cues.yaml``, of Chinese or of English."""
    data, language = load_data("vocab", "speech_cues"), "zh" if han else "en"
    return tuple(phrase(text) for name in names for text in data[name].get(language, ()))


@cache
def hint(language: str) -> str:
    """Return terms for the speech model to expect: official names of things, for all procedures.

    Args:
        language: ``zh`` for Chinese names; else English ones.
    """
    return ", ".join(sorted({
        text for text, sense in _phrases() if sense.tier == OFFICIAL and not sense.is_verb
        and not sense.procedures and is_han(text) == (language == "zh")
    }))  # fmt: skip


@cache
def word_set(file: str, name: str) -> frozenset[str]:
    """Return a list of words of ``speech.yaml`` or ``speech_cues.yaml``."""
    return frozenset(load_data("vocab", file)[name])

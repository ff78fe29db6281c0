"""Find terms in an utterance: longest first, official before colloquial; doubt is flagged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from surgqa.transforms.evidence.base import round_score
from surgqa.transforms.evidence.speech.context import WordContext
from surgqa.transforms.evidence.speech.lexicon import (
    MISHEARD,
    PhraseLexicon,
    Sense,
    lexicon,
    word_set,
)
from surgqa.transforms.evidence.speech.negation import negated
from surgqa.transforms.evidence.speech.tokens import SpokenToken

WEAK = "weak"
AMBIGUOUS = "ambiguous"
NEGATED = "negated"
MATCH_SCORE = 0.85
"""Likeness of letters, 0 to 1, from which some words count as the term: twice the number of common
letters in order, divided by the number of letters of both."""
WEAK_SCORE = 0.78
"""Likeness from which a match is kept and flagged ``weak``."""
LEAST_LETTERS = 7
"""Shorter stretches and terms are only compared exactly."""
HEARD_SCORE = 0.9
"""Score of a spelling that is listed as misheard."""
LONGEST = 6
"""Maximum number of words in a stretch."""
NEED_WORDS = 3
"""How far from a term the words that it needs may be."""


@dataclass(frozen=True, slots=True)
class Match:
    """A term that was said.

    Attributes:
        sense: meaning of the term; the first meaning if it is ambiguous.
        others: the other possible meanings.
        first, last: tokens [first, last).
        score: 1 for the exact term, lower the more letters differ, 0 to 1.
        flag: None, ``weak``, ``ambiguous`` or ``negated``.
    """

    sense: Sense
    first: int
    last: int
    score: float
    flag: str | None = None
    others: tuple[Sense, ...] = ()


@dataclass(frozen=True, slots=True)
class _Stretch:
    first: int
    last: int
    senses: tuple[Sense, ...]
    likeness: float

    @property
    def exact(self) -> bool:
        return self.likeness == 1.0


def matches(
    said: Sequence[SpokenToken], context: WordContext, utterance_us: tuple[int, int]
) -> list[Match]:
    """Return terms in order of speech, without overlaps.

    Args:
        said: the utterance's tokens.
        context: what is known about the operation from other sources.
        utterance_us: start and end of the utterance, for looking up the context.
    """
    book = lexicon()
    found = [*_exact(said, book), *_signs(said, book)]
    found += _alike(said, book, found)
    taken: list[_Stretch] = []
    for stretch in sorted(found, key=_rank):
        if all(stretch.last <= t.first or t.last <= stretch.first for t in taken):
            taken.append(stretch)
    taken.sort(key=lambda s: s.first)
    resolved = (_resolved(s, _Case(said, s.first, s.last, context, utterance_us)) for s in taken)
    return [match for match in resolved if match is not None]


def _rank(stretch: _Stretch) -> tuple[float, ...]:
    weak = stretch.likeness < MATCH_SCORE
    length = stretch.last - stretch.first
    best = stretch.senses[0].tier
    return weak, -length, not stretch.exact, best, -stretch.likeness, stretch.first


def _exact(said: Sequence[SpokenToken], book: PhraseLexicon) -> Iterator[_Stretch]:
    lemmas = book.lemmas(tuple(token.text for token in said))
    for first in range(len(said)):
        for last in range(first + 1, min(first + book.longest, len(said)) + 1):
            senses = book.words.get(lemmas[first:last])
            if senses and not _parted(said, first, last):
                yield _Stretch(first, last, senses, 1.0)


def _signs(said: Sequence[SpokenToken], book: PhraseLexicon) -> Iterator[_Stretch]:
    """Yield Chinese terms; a token is one character, or a foreign name in a term ("Calot三角")."""
    for first in range(len(said)):
        text = ""
        for last in range(first + 1, len(said) + 1):
            if _parted(said, first, last) or len(text) > book.most_signs:
                break
            text += said[last - 1].text
            if text in book.signs:
                yield _Stretch(first, last, book.signs[text], 1.0)


def _parted(said: Sequence[SpokenToken], first: int, last: int) -> bool:
    """True if a comma or full stop is between the tokens, over which no term extends."""
    return any(token.breaks for token in said[first : last - 1])


def _alike(
    said: Sequence[SpokenToken], book: PhraseLexicon, exact: Sequence[_Stretch]
) -> list[_Stretch]:
    """Return stretches whose letters are nearly those of a term; shorter stretches first."""
    out: list[_Stretch] = []
    edge, everyday = word_set("speech_cues", "edge"), word_set("speech", "everyday")
    for length in range(1, LONGEST + 1):
        for first in range(len(said) - length + 1):
            last = first + length
            texts = [token.text for token in said[first:last]]
            if any(t.han for t in said[first:last]) or _parted(said, first, last):
                continue
            if edge & {texts[0], texts[-1]} or (length == 1 and texts[0] in everyday):
                continue
            near = _nearest("".join(texts), book)
            if near is None:
                continue
            stretch = _Stretch(first, last, near[0], near[1])
            inside = [s for s in (*exact, *out) if first <= s.first and s.last <= last]
            if not _added(stretch, inside) and not _swallowed(near[2], said, inside, book):
                out.append(stretch)
    return out


def _added(stretch: _Stretch, inside: Sequence[_Stretch]) -> bool:
    """Return whether a match adds words to an equally good match of the same meaning."""
    meant = {sense.concept for sense in stretch.senses}
    return any(
        s.likeness >= stretch.likeness and meant & {sense.concept for sense in s.senses}
        for s in inside
    )


def _swallowed(
    words: tuple[str, ...],
    said: Sequence[SpokenToken],
    inside: Sequence[_Stretch],
    book: PhraseLexicon,
) -> bool:
    """Return whether an exact term inside the stretch is not a part of the phrase.

    "Dissects the gallbladder" has nearly the letters of "gallbladder dissection".
    """
    clear = (said[s.first : s.last] for s in inside if s.exact)
    heard = {text for part in clear for text in book.lemmas(tuple(t.text for t in part))}
    return not heard <= set(words)


def _nearest(
    letters: str, book: PhraseLexicon
) -> tuple[tuple[Sense, ...], float, tuple[str, ...]] | None:
    """Return the phrase with the highest likeness; if equal, the first in alphabetical order.

    Returns:
        The result is the term's meanings, the likeness and the term's words.
    """
    if len(letters) < LEAST_LETTERS:
        return None
    from rapidfuzz import fuzz, process

    scored = process.extract(letters, book.letters.keys(), scorer=fuzz.ratio,
                             score_cutoff=100.0 * WEAK_SCORE, limit=None)  # fmt: skip
    near = [(-score, text) for text, score, _ in scored if len(text) >= LEAST_LETTERS]
    if not near:
        return None
    score, text = min(near)
    # Equal letters in other words ("gall bladder") are a good match, but not an exact one.
    words = book.letters[text]
    return book.words[words], min(float(round_score(-score / 100.0)), 0.9999), words


@dataclass(frozen=True, slots=True)
class _Case:
    """One stretch with everything that may decide between its meanings."""

    said: Sequence[SpokenToken]
    first: int
    last: int
    context: WordContext
    utterance_us: tuple[int, int]


def _resolved(stretch: _Stretch, case: _Case) -> Match | None:
    """The one meaning, or the first of several that remain; None if no meaning is possible."""
    senses = [
        sense
        for sense in stretch.senses
        if case.context.meant(sense.procedures) and _has_needs(sense, case)
    ]
    for narrow in (_by_grammar, _by_tier, _by_instruments, _by_phase):
        senses = narrow(senses, case)
    if not senses:
        return None
    sense = senses[0]
    factor = HEARD_SCORE if sense.tier == MISHEARD else 1.0
    flag = None
    if stretch.likeness < MATCH_SCORE:
        flag = WEAK
    elif len({(s.kind, s.concept) for s in senses}) > 1:
        flag = AMBIGUOUS
    elif sense.is_verb and negated(case.said, stretch.first):
        flag = NEGATED
    score = float(round_score(stretch.likeness * factor))
    return Match(sense, stretch.first, stretch.last, score, flag, tuple(senses[1:]))


def _has_needs(sense: Sense, case: _Case) -> bool:
    near = case.said[max(case.first - NEED_WORDS, 0) : case.last + NEED_WORDS]
    return not sense.needs or any(token.text in sense.needs for token in near)


def _by_grammar(senses: list[Sense], case: _Case) -> list[Sense]:
    """If a phrase may be noun or verb, keep the meanings that fit the words on either side."""
    if len({sense.is_verb for sense in senses}) < 2:
        return senses
    before = case.said[case.first - 1].text if case.first else ""
    after = case.said[case.last].text if case.last < len(case.said) else ""
    if before in word_set("speech_cues", "before_noun"):
        return [sense for sense in senses if not sense.is_verb]
    verb = before in word_set("speech_cues", "before_verb")
    if verb or after in word_set("speech_cues", "after_verb"):
        return [sense for sense in senses if sense.is_verb]
    return senses


def _by_tier(senses: list[Sense], case: _Case) -> list[Sense]:
    """Prefer official terms to colloquial terms, and colloquial terms to misheard ones."""
    best = min((sense.tier for sense in senses), default=0)
    return [sense for sense in senses if sense.tier == best]


def _by_instruments(senses: list[Sense], case: _Case) -> list[Sense]:
    """Of several instruments, keep those that are visible while the term is said."""
    seen = case.context.instruments(*case.utterance_us)
    return [s for s in senses if s.kind == "instrument" and s.concept in seen] or senses


def _by_phase(senses: list[Sense], case: _Case) -> list[Sense]:
    """Of several phases, keep the present phase."""
    now = case.context.phase(*case.utterance_us)
    return [s for s in senses if s.kind == "phase" and s.concept == now] or senses

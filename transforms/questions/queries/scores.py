"""Scores, by the words that the ontology has for their ranges."""

from __future__ import annotations

from ontology.ratings import bucket, rating
from ontology.records import Window
from transforms.questions.queries.found import (
    Choice,
    Found,
    Named,
    Search,
    holding,
    note_of,
    pointers_of,
)
from transforms.timeline.facts import Channel, Fact


def score_now(search: Search, channel: Channel, window: Window) -> Found | str:
    """The word for a score that holds, all raters agreeing."""
    time_us = window.end_us
    holds, touching = holding(channel, time_us)
    unclear = {fact.label for fact in touching}
    labels = sorted({f.label for f in holds if f.value is not None} - unclear)
    if not labels:
        return "no score holds"
    label = search.draw("score", labels, time_us)
    facts = [f for f in holds if f.label == label and f.value is not None]
    words = {word_of(label, f.value) for f in facts}
    word = next(iter(words))
    if len(words) != 1 or word is None:
        return "the raters disagree, or the score has no word"
    return scored(search, window, Named("rating", label), facts, word)


def word_of(label: str, value: float | None) -> str | None:
    """The word that questions use for a score."""
    asked = rating(label).asked
    return None if asked is None or value is None else bucket(label, asked, value)


def cut_offs(label: str) -> str:
    """From which score each word holds, for notes."""
    scale = rating(label)
    words = scale.buckets[str(scale.asked)]
    cuts = ", ".join(f"{w} from {b:g}" for w, b in zip(words.words, words.bounds, strict=True))
    return f"on a scale of {scale.low:g} to {scale.high:g} the words hold {cuts}"


def scored(search: Search, window: Window, named: Named, facts: list[Fact], word: str) -> Found:
    """A question about the word for a score."""
    scale = rating(named.label)
    grouping = str(scale.asked)
    score = float(f"{sum(fact.value or 0.0 for fact in facts) / len(facts):.3f}")
    note = note_of("rating", named.term.display, facts[0])[:-1]
    return Found(
        window=window,
        query_us=window.end_us,
        fields={"label": named, "word": word},
        slots={"about": {"kind": "rating"}, "label": named.label},
        value={"kind": "rating", "label": named.label, "grouping": grouping, "bucket": word,
               "value": score},
        pointers=pointers_of(facts, window.end_us),
        note=f"{note}; the score is {score:g}; {cut_offs(named.label)}.",
        names=((word,),),
        right=word,
        wrong=tuple(Choice(w, "other_word") for w in scale.buckets[grouping].words if w != word),
    )  # fmt: skip

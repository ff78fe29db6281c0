"""Mask names, dates and identifiers in transcripts, by rules and word lists.

For English and Chinese.  Text that a rule matches is replaced by its kind in brackets.  Titles,
structures named after people, and sizes are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from surgqa.transforms.evidence.privacy import names
from surgqa.transforms.evidence.privacy.numbers import rules
from surgqa.transforms.evidence.privacy.slots import answered, broken_off, misspelled, slotted
from surgqa.transforms.evidence.privacy.weighing import weighed

KINDS = ("NAME", "DATE", "AGE", "ID", "PHONE", "EMAIL", "URL", "PLACE")
_TOKEN = re.compile(r"\[(?:" + "|".join(KINDS) + r")\]")
_HAN = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True, order=True)
class MaskedSpan:
    """Characters [start, end) of a text, and what kind of identifier they are.

    If ``kind`` is empty, these characters identify nobody, even if a rule says so.
    """

    start: int
    end: int
    kind: str


def mask_text(
    text: str, language: str | None = None, more: Iterable[MaskedSpan] = ()
) -> tuple[str, tuple[MaskedSpan, ...]]:
    """The text with everything replaced that identifies a person.

    Masking a masked text changes nothing.

    Args:
        text: one or more utterances.
        language: code of the speech; Chinese characters get the Chinese rules for any code.
        more: spans of the text that are masked in any case, and spans without a kind that no rule
            masks; they may overlap.  They are masked after the rules were applied, because a rule
            may need the words that they hide.

    Returns:
        The masked text, and the replaced spans of the given text, in order and without overlaps.
        The masked text is the given text with each span replaced by ``[kind]``.
    """
    spans: tuple[MaskedSpan, ...] = tuple(
        MaskedSpan(*match.span(), match.group()[1:-1]) for match in _TOKEN.finditer(text)
    )
    marked = frozenset(spans)
    while True:
        masked, origin = _replaced(text, spans)
        found = [
            MaskedSpan(origin[start], origin[end], kind)
            for start, end, kind in _find(masked, language)
        ]
        if not found:
            break
        spans = _merged([*spans, *found])
    spans = tuple(_cleared(text, spans, marked, more := tuple(more)))
    added = [one for one in more if one.kind and not _under(one, marked)]
    spans = _merged([*spans, *(one for one in added if not _within(one, spans))])
    return _replaced(text, spans)[0], tuple(span for span in spans if span not in marked)


def _cleared(
    text: str,
    spans: Iterable[MaskedSpan],
    marked: frozenset[MaskedSpan],
    more: Iterable[MaskedSpan],
) -> Iterator[MaskedSpan]:
    """Cut the harmless parts (spans of ``more`` without a kind) out of all spans but ``marked``."""
    clear = {place for one in more if not one.kind for place in range(one.start, one.end)}
    for span in spans:
        if span in marked:
            yield span
            continue
        for keep, run in groupby(range(span.start, span.end), lambda place: place not in clear):
            places = list(run)
            if keep and any(text[place].isalnum() for place in places):
                yield MaskedSpan(places[0], places[-1] + 1, span.kind)


def _under(one: MaskedSpan, others: Iterable[MaskedSpan]) -> bool:
    return any(one.start < other.end and other.start < one.end for other in others)


def _within(one: MaskedSpan, others: Iterable[MaskedSpan]) -> bool:
    return any(other.start <= one.start and one.end <= other.end for other in others)


def _find(text: str, language: str | None) -> Iterator[tuple[int, int, str]]:
    """New spans of a text that may be partly masked already; they do not overlap."""
    taken = [match.span() for match in _TOKEN.finditer(text)]
    for start, end, kind in _candidates(text, language):
        if start < end and all(end <= low or start >= high for low, high in taken):
            taken.append((start, end))
            yield start, end, kind


def _candidates(text: str, language: str | None) -> Iterator[tuple[int, int, str]]:
    for rule in rules():
        for match in rule.pattern.finditer(text):
            if rule.unless is None or not rule.unless(match["it"]):
                yield (*match.span("it"), rule.kind)
    for start, end in names.english(text):
        yield start, end, "NAME"
    yield from weighed(text)
    for start, end in (*slotted(text), *answered(text), *misspelled(text), *broken_off(text)):
        yield start, end, "NAME"
    if (language or "").startswith("zh") or _HAN.search(text):
        for start, end in names.chinese(text):
            yield start, end, "NAME"


def _replaced(text: str, spans: Iterable[MaskedSpan]) -> tuple[str, list[int]]:
    """Return the text with spans replaced, and the old position of each of its characters."""
    parts: list[str] = []
    origin: list[int] = []
    place = 0
    for span in spans:
        token = f"[{span.kind}]"
        parts += [text[place : span.start], token]
        origin += range(place, span.start)
        origin += [span.start] * len(token)
        place = span.end
    parts.append(text[place:])
    origin += range(place, len(text) + 1)
    return "".join(parts), origin


def _merged(spans: list[MaskedSpan]) -> tuple[MaskedSpan, ...]:
    merged: list[MaskedSpan] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = MaskedSpan(last.start, max(last.end, span.end), last.kind)
        else:
            merged.append(span)
    return tuple(merged)

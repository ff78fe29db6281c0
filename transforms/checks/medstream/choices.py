"""Checks the choices and answers, and whether the text of the evidence supports them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from surgqa.transforms.checks.medstream import words
from surgqa.transforms.checks.medstream.sample import StreamRow
from surgqa.transforms.checks.medstream.texts import is_filler
from surgqa.transforms.checks.medstream.times import cites_time

_LEVELS = {"low", "medium", "middle", "high"}
_GRADED = re.compile(r"bucket|skill|osats|rating|score")
_BOUND = re.compile(
    r"(<=?|>=?|≤|≥|\b(below|under|above|over|from|at least|at most|up to|less than|more than|"
    r"between)\b)\s*\d|\d\s*(<=?|>=?|≤|≥|-|–|\bto\b)\s*\d|\d\s*(or|and) (more|less|above|below)",
    re.IGNORECASE,
)
_FILED = re.compile(r"\b(folders?|director(y|ies)|sub ?folders?|paths?|splits?)\b", re.IGNORECASE)
_SOURCE = re.compile(r"[\w-]\.[A-Za-z]\w{1,5}\b|\b(row|line|column|record|frame)s? \d|\[[\w\"']+\]")
_WHOLE = re.compile(r"\bwhole (recording|video|clip|still|image|picture)\b", re.IGNORECASE)
_VALUE = re.compile(r"(?<![\w-])\d+(\.\d+)?")
_LIST = re.compile(r",\s*(?:and )?")
_HUMP = re.compile(r"[a-z][A-Z]")
ALIKE = 0.9
"""Similarity from which on two words count as one word that is misspelled, not as synonyms."""


def not_a_choice(sample: StreamRow) -> Iterator[str]:
    """D12: there must be at least two different choices, and the answer must be one of them.

    If the event of a stream never comes, the answer may also be "unanswerable".
    """
    if not sample.closed:
        return
    known = [words.plain(choice) for choice in sample.choices]
    if len(known) < 2:
        yield f"{len(known)} choices"
    elif len(set(known)) < len(known):
        yield f"alike: {', '.join(sorted(c for c in set(known) if known.count(c) > 1))}"
    silent = sample.streaming and sample.event is None and sample.answer == "unanswerable"
    wrong = [one for one in sample.answers if one not in sample.choices]
    if not silent and (wrong or not sample.answers):
        yield f"{', '.join(wrong) or 'no answer'} is not one of {', '.join(sample.choices)}"


def no_record(sample: StreamRow) -> Iterator[str]:
    """D18: the evidence text must name its source: a file, an interval, a frame or a value.

    The name of a folder is not enough.
    """
    said = sample.evidence
    if is_filler(said) or words.plain(said) == words.plain(sample.answer):
        return
    filed = _FILED.search(said)
    record = cites_time(said) or _SOURCE.search(said)
    if not filed:
        record = record or _WHOLE.search(said) or _VALUE.search(said)
    if not record:
        yield f"only a {filed[0]}: {said!r}" if filed else repr(said)


def several_true(sample: StreamRow) -> Iterator[str]:
    """D19: the evidence must not list a second choice beside the answer (``forceps, hand``)."""
    if not sample.closed or len(sample.answers) != 1:
        return
    said = re.sub(r"[_\s]+", " ", sample.evidence.casefold())
    mine, answer = sample.answer.casefold(), words.words(sample.answer.casefold())
    for other in sample.choices:
        also = other.casefold()
        if also not in said or mine not in said or words.says_nothing(other):
            continue
        if words.words(also) not in answer and _side_by_side(mine, also, said):
            yield f"{sample.answer!r} and {other!r} in {sample.evidence!r}"


def _side_by_side(one: str, other: str, said: str) -> bool:
    """Return whether two names stand next to each other in a list."""
    a, b, glue = re.escape(one), re.escape(other), r"(?:\s*[,;&/+]\s*(?:and )?| and )"
    return bool(re.search(rf"\b(?:{a}{glue}{b}|{b}{glue}{a})\b", said))


def unstated_bounds(sample: StreamRow) -> Iterator[str]:
    """D24: evidence of a level such as low, medium or high must state the limits of its scores."""
    levels = {words.plain(choice) for choice in sample.choices} & _LEVELS
    graded = len(levels) >= 2 or (
        _GRADED.search(sample.task) and words.plain(sample.answer) in _LEVELS
    )
    if not sample.closed:
        graded = bool(_GRADED.search(sample.task))
    if graded and not is_filler(sample.evidence) and not _BOUND.search(sample.evidence):
        yield repr(sample.evidence)


def spelled_as_files(sample: StreamRow) -> Iterator[str]:
    """D26: a choice must be spelled as a display name, without underscores or camel case."""
    texts = (*sample.choices, *(sample.answers if sample.closed else ()))
    parts = (part for text in texts for part in (_LIST.split(text) if "," in text else (text,)))
    for choice in dict.fromkeys(parts):
        one = words.plain(choice)
        if "_" in choice or (_HUMP.search(choice) and one not in words.displays()):
            yield repr(choice)
        elif one in words.displays() or words.says_nothing(choice):
            continue
        elif better := _misspelled(one):
            yield f"{choice!r}, the display name is {better!r}"


def _misspelled(one: str) -> str | None:
    """Return the display name that a text misspells, or None.

    Either only the spaces differ, or the text is one word that is nearly equal to the name.
    """
    for display in sorted(words.displays_of(one)):
        if words.compact(display) == words.compact(one):
            return display
        folded = display.casefold()
        near = (folded, folded.split()[0]) if " " not in one else ()
        if any(name != one and SequenceMatcher(None, name, one).ratio() >= ALIKE for name in near):
            return display
    return None

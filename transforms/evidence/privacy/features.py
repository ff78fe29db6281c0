"""Features of each word for the learned model: the word, its neighbours, its place in the text.

A feature is a short text; its number is the remainder of its CRC-32.  Words are separated by white
space, utterances by line breaks.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from surgqa.transforms.evidence.privacy.gazetteer import is_family, is_given, is_listed
from surgqa.transforms.evidence.privacy.sounding import (
    like_a_name,
    like_a_term,
    near_a_name,
    split_name,
)
from surgqa.transforms.evidence.privacy.terms import near_long_term
from surgqa.transforms.evidence.privacy.wordforms import WordForm, form_of, outside, value_of

SLOTS = 1 << 17
"""Number of weights: features share one if their numbers are equal."""
REACH = 4
EDGE, BORDER = outside("<e>"), outside("<b>")
CUES = {
    word: cue
    for cue, words in {
        "title": "doctor dr professor prof mr mrs miss ms mister missus nurse sister",
        "number": "number code id record phone mobile call ring dial extension bleep pager",
        "street": "street road avenue lane drive close crescent court terrace hill gardens place"
        " square way",
        "hospital": "hospital clinic center centre infirmary university general memorial medical",
        "birth": "born birth birthday dob",
        "month": "january february march april may june july august september october november"
        " december",
        "age": "years year old age aged",
        "mail": "email mail write dot at org com net edu",
    }.items()
    for word in words.split()
}


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word of a text: where its letters are, in characters, and its form."""

    start: int
    end: int
    line: int
    form: WordForm


def words_in(text: str) -> list[PlacedWord]:
    """The words of a text in order; each line is an utterance.

    Several masked words of one kind in a row count as one word.
    """
    out: list[PlacedWord] = []
    at = 0
    for number, line in enumerate(text.split("\n")):
        for match in re.finditer(r"\S+", line):
            form, start = form_of(match[0]), at + match.start()
            last = out[-1] if out and out[-1].line == number else None
            if not (form.hidden and last and last.form.hidden == form.hidden):
                out.append(PlacedWord(start + form.start, start + form.end, number, form))
        at += len(line) + 1
    return out


def features(words: Sequence[PlacedWord]) -> Iterator[list[str]]:
    """The features of each word, in order."""
    row: list[WordForm] = [EDGE] * REACH
    places: list[int] = []
    for place, word in enumerate(words):
        if place and word.line != words[place - 1].line:
            row.append(BORDER)
        places.append(len(row))
        row.append(word.form)
    row += [EDGE] * REACH
    lengths: dict[int, int] = {}
    for word in words:
        lengths[word.line] = lengths.get(word.line, 0) + 1
    index, line = 0, -1
    for word, at in zip(words, places, strict=True):
        index, line = (index + 1, line) if word.line == line else (0, word.line)
        near = row[at - REACH : at + REACH + 1]
        out = [*_own(near), *_beside(near), *_placed(near, index, lengths[line])]
        if near[REACH].group == "#":
            out += _number(row, at)
        yield out


def slots(found: Sequence[str]) -> list[int]:
    """The numbers of features, each once, ascending."""
    return sorted({_slot(feature) for feature in found})


@lru_cache(maxsize=1 << 18)
def _slot(feature: str) -> int:
    return zlib.crc32(feature.encode()) % SLOTS


def _own(near: Sequence[WordForm]) -> Iterator[str]:
    """Yield features of the middle word of ``near``, and of the names it makes with a neighbour."""
    before, it, after = near[REACH - 1 : REACH + 2]
    known = f"{it.given}{it.family}"
    yield from ("b", f"T={it.shape}", f"w={it.word}")
    yield from (f"g={known}{it.sort}", f"G={known}{it.coarse}")
    yield f"l={it.sounds}{it.shape}"
    yield f"n={min(len(it.word), 12)}{it.group}"
    yield f"o={it.owns}{it.coarse}"
    yield f"h={it.hyphen}{it.group}"
    if it.group == "U":
        yield from (f"s3={it.word[-3:]}", f"s2={it.word[-2:]}", f"p3={it.word[:3]}")
    if it.group == "U" or it.named != "-":
        yield f"p2={it.word[:2]}{it.group}"
        edged = f"^{it.word}$"
        yield from (f"3={edged[i : i + 3]}{it.group}" for i in range(len(edged) - 2))
    if it.case in "DX":
        size = value_of(it.word)
        yield from (f"v={size}", f"v={size}{after.word}", f"v={before.word}={size}")
        yield f"v={size}{after.sort}{before.sort}{it.stop}"
        digits = re.sub(r"\d", "d", re.sub(r"[^\W\d_]+", "a", it.word))[:8]
        yield from (f"d={digits}", f"d={digits}|{after.word}", f"d={before.word}|{digits}")
    if it.word.isalpha():
        if it.group == "U" and len(it.word) > 3 and _like_term(it.word):
            yield f"t={it.case}"
        if after.word.isalpha() and not it.stop and (pair := _pair(it.word, after.word)):
            yield from (f"2+={pair}{it.group}{after.group}", f"2+={pair}{after.hyphen}")
        if before.word.isalpha() and not before.stop and (pair := _pair(before.word, it.word)):
            yield from (f"2-={pair}{it.group}{before.group}", f"2-={pair}{it.hyphen}")


def _beside(near: Sequence[WordForm]) -> Iterator[str]:
    """Yield features of the words around the middle word of ``near``."""
    it = near[REACH]
    third, second, first = near[REACH - 3 : REACH]
    next1, next2 = near[REACH + 1 : REACH + 3]
    yield f"T-1={first.shape}|{it.shape}"
    yield f"T+1={it.shape}|{next1.shape}"
    yield f"T-+={first.shape}|{it.coarse}|{next1.shape}"
    yield f"T-2={second.shape}|{first.shape}|{it.coarse}"
    yield f"T+2={it.coarse}|{next1.shape}|{next2.shape}"
    for distance in (-3, -2, -1, 1, 2, 3):
        other = near[REACH + distance]
        yield f"w{distance}={other.word}"
        yield f"w{distance}={other.word}|{it.group}"
        if abs(distance) < 3:
            yield f"w{distance}={other.word}|{it.coarse}"
        yield f"y{distance}={other.sort}{other.named}{it.group}"
    yield f"w-2-1={second.word} {first.word}|{it.group}"
    yield f"w+1+2={next1.word} {next2.word}|{it.group}"
    yield f"w-1+1={first.word} {next1.word}|{it.group}"
    yield f"w-3-1={third.word} {second.word} {first.word}"
    for cue in sorted({CUES[other.word] for other in near if other.word in CUES}):
        yield f"c={cue}{it.group}"


def _placed(near: Sequence[WordForm], index: int, length: int) -> Iterator[str]:
    """Yield features of a word's place in its utterance, and of the punctuation around it."""
    before, it, after = near[REACH - 1 : REACH + 2]
    begins = index == 0 or (before.stop != "" and before.stop in ".?!")
    yield f"T1={it.shape}{begins}"
    yield f"p={before.stop}|{it.stop}|{it.coarse}{begins}"
    yield f"q={before.stop}|{it.stop}|{after.stop}{it.group}"
    yield f"i={min(index, 4)}|{it.coarse}"
    yield f"e={min(length - 1 - index, 3)}|{it.coarse}"
    yield f"m={min(length, 6)}|{min(index, 3)}{it.coarse}"


def _number(row: Sequence[WordForm], at: int) -> Iterator[str]:
    """Yield features of the run of numbers around index ``at``, and of the words beside the run."""
    first, last = at, at
    while row[first - 1].group == "#":
        first -= 1
    while row[last + 1].group == "#":
        last += 1
    count = sum(
        sum(letter.isdigit() for letter in form.word) or 1 for form in row[first : last + 1]
    )
    before, after = row[first - 1], row[last + 1]
    yield f"N={min(count, 11)}"
    few = min(count, 5)
    yield from (f"N={few}|{before.word}", f"N={few}|+{after.word}")
    yield f"N={few}{before.sort}{after.sort}"
    yield from (f"N-={before.word}", f"N+={after.word}")
    yield f"N-2={row[max(first - 2, 0)].word} {before.word}"


@lru_cache(maxsize=1 << 14)
def _pair(first: str, second: str) -> str:
    """Return what two joined words look like: letters l, s, n, k: a name; t: a term; w: a word."""
    whole = first + second
    if len(whole) < REACH:
        return ""
    tests = (
        ("l", like_a_name([first, second])), ("s", split_name([first, second])),
        ("n", near_a_name(whole)), ("k", is_family(whole) or is_given(whole)),
        ("t", _like_term(whole)), ("w", is_listed(whole)),
    )  # fmt: skip
    return "".join(letter for letter, holds in tests if holds)


@lru_cache(maxsize=1 << 14)
def _like_term(word: str) -> bool:
    return like_a_term(word) or near_long_term(word)

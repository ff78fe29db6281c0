"""Names of people: after titles and introducing phrases, given names, and Chinese names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from surgqa.transforms.evidence.privacy.terms import is_eponym, is_term
from surgqa.transforms.evidence.privacy.words import (
    HAN,
    INITIAL,
    LETTERS,
    NAME_WORD,
    any_of,
    lists,
    words,
)  # fmt: skip

LONGEST = 4
PLAIN_WORD = rf"{LETTERS}[\w'’-]*"
_NEXT = re.compile(rf"\s*(?P<word>{NAME_WORD}|{INITIAL}|{LETTERS}+)(?P<owner>['’]s)?(?P<dot>\.)?")
_AFTER = re.compile(rf"(?:['’]s)?[\s-]*(?P<word>{LETTERS}+)")


def english(text: str) -> Iterator[tuple[int, int]]:
    """Spans of names, without titles and introducing phrases."""
    short, cue, greeting, given = _patterns()
    for match in short.finditer(text):
        loose = match["short"] is not None
        yield from _name(text, match.end(), least=1, lower=loose)
    for match in cue.finditer(text):
        yield from _name(text, match.end(), least=1, lower=False)
    for match in _titled_alone().finditer(text):
        if _is_lone_surname(match["it"].lower()):
            yield match.span("it")
    for match in _titled_tail().finditer(text):
        yield match.span("it")
    for match in greeting.finditer(text):
        yield from _greeted(text, match.end())
    for match in given.finditer(text):
        yield from _given(text, match.start())


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    titles = lists()["titles"]
    short, long = any_of(titles["short"]), any_of(titles["long"])
    return (
        re.compile(
            rf"\b(?:(?P<short>{short})\b\.?|{long}s?\b)[ \t,:]*(?:(?:is|named|called|name)\s+)?"
            rf"(?=\s*{LETTERS})",
            re.IGNORECASE,
        ),
        re.compile(rf"\b{any_of(lists()['cues'])}\b[\s:,]*", re.IGNORECASE),
        re.compile(rf"\b{any_of(lists()['greetings'])}\b[\s,]*", re.IGNORECASE),
        re.compile(rf"(?<![\w'’\[-]){NAME_WORD}"),
    )


@cache
def _titled_alone() -> re.Pattern[str]:
    titles = any_of(lists()["titles_alone"])
    return re.compile(rf"\b{titles}\b\.?[ \t]+(?P<it>{LETTERS}{{3,}})(?=[.,?!\n]|$)", re.IGNORECASE)


@cache
def _titled_tail() -> re.Pattern[str]:
    """A name that a recogniser wrote as the end of its title ("nurse -mieve.")."""
    titles = any_of(lists()["titles_alone"])
    return re.compile(
        rf"\b{titles}\b\.?[ \t]+(?P<it>-{LETTERS}{{3,}}(?: -{LETTERS}+)*)(?=[.,?!\n]|$)",
        re.IGNORECASE,
    )


def _is_lone_surname(word: str) -> bool:
    """Whether a word between a title and a pause is a family name, even if it is common too."""
    from surgqa.transforms.evidence.privacy.gazetteer import is_surname

    said = ("never_names", "closers", "person_verbs", "persons", "openers")
    return is_surname(word) and not is_term(word) and not any(word in words(n) for n in said)


def _name(text: str, at: int, *, least: int, lower: bool) -> Iterator[tuple[int, int]]:
    """Yield the name at a position, if it has at least ``least`` words.

    Args:
        lower: the first word may be in lower case.
    """
    start, end, count = None, at, 0
    place = at
    for _ in range(LONGEST):
        match = _NEXT.match(text, place)
        inside = start is not None
        if match is None or not _may_be_name(match["word"], lower and not inside, inside):
            break
        if start is None and match.start("word") > at + 2:
            break
        start = match.start("word") if start is None else start
        particle = match["word"].lower() in words("particles")
        place = match.end("word")
        initial = len(match["word"].rstrip(".")) == 1
        if not particle:
            end, count = place, count + 1
        if match["owner"] or (match["dot"] and not initial):
            break
        place = match.end() if initial else place
    if start is not None and count >= least and not _structure(text, start, end):
        yield start, end


def _may_be_name(word: str, lower: bool, inside: bool) -> bool:
    plain = word.lower().rstrip(".")
    if any(plain in words(name) for name in ("never_names", "eponym_nouns", "persons")):
        return False
    if plain in _titles():
        return False
    if plain in words("particles"):
        return inside or word[0].isupper() or lower
    return lower or word[0].isupper()


def _structure(text: str, start: int, end: int) -> bool:
    """Whether the name belongs to the name of a structure, an instrument or a manoeuvre."""
    names = [w.lower() for w in re.findall(PLAIN_WORD, text[start:end])]
    eponyms = words("eponyms")
    known = [re.sub(r"['’]s$", "", name) in eponyms for name in names]
    after = _AFTER.match(text, end)
    noun = after is not None and after["word"].lower() in words("eponym_nouns")
    return bool(known) and ((known[-1] and noun) or (all(known) and len(known) > 1 and noun))


def _greeted(text: str, at: int) -> Iterator[tuple[int, int]]:
    """The name after a greeting: a known given name, or two words that are not medical terms."""
    for start, end in _name(text, at, least=1, lower=False):
        parts = [p.lower() for p in re.findall(PLAIN_WORD, text[start:end])]
        if any(is_eponym(part) for part in parts) and parts[0] not in _given_names():
            return
        person = parts[0] in _given_names() or parts[0] in words("ambiguous_given")
        if person or (len(parts) >= 2 and not any(is_term(part) for part in parts)):
            yield start, end


def _given(text: str, at: int) -> Iterator[tuple[int, int]]:
    """A given name, with the surname if one follows; alone only if it is not also another word."""
    match = _NEXT.match(text, at)
    if match is None:
        return
    first = match["word"].lower()
    if first not in _given_names() and first not in words("ambiguous_given"):
        return
    after = _AFTER.match(text, match.end("word"))
    if after is not None and after["word"].lower() in words("eponym_nouns"):
        return  # "Alice clamp" is an Allis clamp that was misheard
    sure = first in _given_names() and first not in words("ambiguous_given")
    for start, end in _name(text, at, least=1 if sure else 2, lower=False):
        parts = re.findall(PLAIN_WORD, text[start:end])
        if sure or not any(is_eponym(p.lower()) or is_term(p.lower()) for p in parts[1:]):
            yield start, end


@cache
def _given_names() -> frozenset[str]:
    return words("given_names") - words("eponyms")


@cache
def _titles() -> frozenset[str]:
    return frozenset(lists()["titles"]["short"]) | frozenset(lists()["titles"]["long"])


def chinese(text: str) -> Iterator[tuple[int, int]]:
    """Spans of Chinese names, without titles."""
    titled, cued, patient = _chinese_patterns()
    for match in titled.finditer(text):
        yield match.span("name")
    for match in cued.finditer(text):
        yield match.span("name")
    never = tuple(lists()["zh"]["never_names"])
    for match in patient.finditer(text):
        if not text[match.start("name") :].startswith(never):
            yield match.span("name")


@cache
def _chinese_patterns() -> tuple[re.Pattern[str], ...]:
    zh = lists()["zh"]
    surname, title = any_of(zh["surnames"]), any_of(zh["titles"])
    before = "".join(zh["before"])
    lead = rf"(?:(?<![\u4e00-\u9fff])|(?<=[{before}])(?<!由于)(?<!对于)(?<!关于))"
    stop = rf"(?=[\s，。,.;；:：、!！?？)）]|[男女先因主诉的]|{title}|$)"
    cue, patients = any_of(zh["cues"]), any_of(zh["patients"])
    return (
        re.compile(rf"{lead}(?P<name>{surname}{HAN}{{0,2}}?){title}"),
        re.compile(rf"{cue}\s*[:：是]?\s*(?P<name>{surname}{HAN}{{1,2}}?){stop}"),
        re.compile(rf"{patients}\s*[:：]?\s*(?P<name>{surname}{HAN}{{1,2}}?){stop}"),
    )


def is_common(word: str) -> bool:
    """Whether a part of a name is also a word of surgical speech."""
    plain = word.lower()
    return (
        is_eponym(plain) or is_term(plain) or plain in words("never_names")
        or plain in words("ambiguous_given") or plain in words("month_words")
    )  # fmt: skip

"""Names told by where they stand: who is spoken to, who does what only people do, who is led to.

Of a name that it does not know a recogniser makes other words.  In such a place a word that nobody
knows is a name, and so are common words that sound like one, or that stand where only a person can.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from transforms.evidence.privacy.gazetteer import is_family, is_surname, is_word
from transforms.evidence.privacy.sounding import (
    LIKE,
    SHORTEST,
    like_a_name,
    near_a_name,
    split_name,
)
from transforms.evidence.privacy.terms import is_eponym, is_term, near_term
from transforms.evidence.privacy.tokens import Token, tokens_of
from transforms.evidence.privacy.words import any_of, lists, words

MOST, LEAST, LONG = 4, 3, 5
_NAMED = re.compile(r"\[NAME\] (?=\w)")
_ENDS = re.compile(r"(?<!-)\[(?:NAME|PLACE)\] (?P<it>-[a-z]\w*(?: -[a-z]\w*)?)(?! -)")
_BEHIND = re.compile(r"\[NAME\] (?P<it>(?:a|an|the|of|or) (?P<name>[A-Z][a-z]+))")
_LAST = re.compile(
    r"(?:is|am|by|of|with|called|named),? \[NAME\] (?P<it>[A-Za-z]{4,})(?=[.,?!\n]|$)"
)
_FIRST = re.compile(r"\s*(\w+ \w+) \[NAME\]")
_SENTENCE = re.compile(r"[^.?!\n]+")


def slotted(text: str) -> Iterator[tuple[int, int]]:
    """Spans of names that their place tells."""
    for match in _SENTENCE.finditer(text):
        sentence, start = match[0], match.start()
        for first, last, how in _places(sentence):
            tokens = tokens_of(sentence[first:last])
            count = _named(tokens, how)
            if count:
                yield start + first + tokens[0].start, start + first + tokens[count - 1].end


def misspelled(text: str) -> Iterator[tuple[int, int]]:
    """Spans of words that nobody knows and that are nearly a name, or make a long one together."""
    tokens = tokens_of(text)
    for place, token in enumerate(tokens):
        near = tokens[place : place + 4]
        noun = len(near) > 1 and near[1].word in words("eponym_nouns")
        if not noun and token.gap[-1:] != "-" and is_unknown(token) and near_a_name(token.word):
            yield token.start, token.end
        for count in (3, 2):
            some = near[:count]
            apart = any(one.gap != " " for one in some[1:]) or len(some) < count
            plain = [one.word for one in some]
            common = all(word in words("never_names") for word in plain)
            if not apart and not common and not _meet(plain, "split") and split_name(plain):
                yield token.start, some[-1].end


def broken_off(text: str) -> Iterator[tuple[int, int]]:
    """Spans that go on from what is masked: ends with a hyphen, a family name behind "a"."""
    for match in _ENDS.finditer(text):
        yield match.span("it")
    for match in _LAST.finditer(text):
        word = match["it"].lower()
        said = words("never_names") | words("closers") | words("eponym_nouns")
        if is_surname(word) and word not in said and not is_term(word):
            yield match.span("it")
    for match in _BEHIND.finditer(text):
        if is_family(match["name"].lower()):
            yield match.span("it")


def _places(sentence: str) -> Iterator[tuple[int, int, str]]:
    """Where a person may be named, and whether only a person can stand there."""
    act = _acts().search(sentence)
    if act:
        yield 0, act.start(), "acts"
    for pattern in _between():
        if match := pattern.search(sentence):
            yield *match.span("it"), "acts"
    for lead in _leads().finditer(sentence):
        comma = sentence.find(",", lead.end())
        yield lead.end(), len(sentence) if comma < 0 else comma, "led"
    called = _called().match(sentence)
    if called:
        yield *called.span("it"), "led"
    last = _last().search(sentence)
    if last and last["it"].strip().lower() not in words("closers"):
        yield *last.span("it"), "led"
    for named in _NAMED.finditer(sentence):
        yield named.end(), len(sentence), "joined"
    first = _FIRST.match(sentence)
    if first and first[1].lower() not in words("openers"):
        yield *first.span(1), "joined"


def _named(tokens: Sequence[Token], how: str) -> int:
    """How many of these words are somebody's name."""
    plain = [token.word for token in tokens]
    if any(token.text.isdigit() for token in tokens[:3]):
        return 0
    if not tokens or (how == "acts" and len(tokens) > MOST):
        return 0
    if how == "acts" and _a_person(plain):
        return len(tokens)
    for count in range(min(3, len(tokens)), 1, -1):
        if not _meet(plain[:count], how) and like_a_name(plain[:count]):
            return count
    return int(how != "joined" and is_unknown(tokens[0]) and _likely(tokens[0]))


def _likely(token: Token) -> bool:
    return token.capital or like_a_name([token.word]) or near_a_name(token.word, SHORTEST, LIKE)


def _a_person(plain: Sequence[str]) -> bool:
    """Whether who acts is named: neither a noun with its article, nor a pronoun, nor a trade."""
    known = words("never_names") | words("persons") | words("articles")
    return (
        plain[0] not in known
        and plain[-1] not in words("persons") - words("never_names")
        and not all(is_term(word) for word in plain)
    )


def _meet(plain: Sequence[str], how: str) -> bool:
    """Whether words stand together for what they say: all are common or of the field."""
    if how == "acts":
        return False
    least = LONG if how == "joined" else LEAST
    common = [word in words("never_names") or len(word) < least for word in plain]
    if how == "led":
        common = [one or is_term(word) for one, word in zip(common, plain, strict=True)]
    return all(common) or any(is_eponym(word) for word in plain)


def is_unknown(token: Token) -> bool:
    """Whether a word is neither in common use nor of the field, as it is or misheard."""
    known = is_word(token.word) or is_eponym(token.word) or is_term(token.word)
    known |= any(token.word in titles for titles in lists()["titles"].values())
    known |= token.word in words("never_names") | words("persons")
    known |= near_term(token.word) or is_word(re.sub("e?rs?$", "", token.word))
    return len(token.word) >= LEAST and token.word.isalpha() and not known


@cache
def _acts() -> re.Pattern[str]:
    return re.compile(rf"(?<=\s){any_of(lists()['person_acts'])}\b", re.IGNORECASE)


@cache
def _between() -> tuple[re.Pattern[str], ...]:
    """One pattern for each thing said before a person, with all that is said after."""
    pairs: dict[str, list[str]] = {}
    for before, after in lists()["person_between"]:
        pairs.setdefault(before, []).append(after)
    return tuple(
        re.compile(rf"\b{any_of([before])},?\s+(?P<it>[^,\[]+?)\s*(?:{after})", re.IGNORECASE)
        for before, ends in pairs.items()
        for after in ["|".join(rf",?\s\b{any_of([end])}\b" if end else r"[\s,]*$" for end in ends)]
    )


@cache
def _leads() -> re.Pattern[str]:
    return re.compile(rf"\b{any_of(lists()['person_leads'])}\s", re.IGNORECASE)


@cache
def _called() -> re.Pattern[str]:
    opener, after = any_of(lists()["openers"]), any_of(lists()["called_upon"])
    return re.compile(
        rf"\s*(?:(?P<open>{opener}\b)[\s,]*)?(?P<it>[^,\[]{{3,30}}),(?(open)|\s*{after}\b)",
        re.IGNORECASE,
    )


@cache
def _last() -> re.Pattern[str]:
    opener = any_of(lists()["openers"])
    return re.compile(
        rf"(?:,\s*|^\s*{opener}\b[\s,]*)(?P<it>[^,\[\s]+(?:\s+[^,\[\s]+){{0,2}})$",
        re.IGNORECASE,
    )

"""Names recognised by their position: where a person is addressed, introduced, or does something.

A recogniser writes other words for a name that it does not know.  At these positions, an unknown
word is taken for a name.  So are common words that sound like a name, and the subject of an act
that only a person can do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from surgqa.transforms.evidence.privacy.gazetteer import (
    is_census_given,
    is_family,
    is_surname,
    is_word,
)
from surgqa.transforms.evidence.privacy.sounding import (
    LIKE,
    SHORTEST,
    like_a_name,
    like_a_term,
    near_a_name,
    split_name,
)
from surgqa.transforms.evidence.privacy.terms import is_eponym, is_term, near_term
from surgqa.transforms.evidence.privacy.tokens import TextToken, tokens_of
from surgqa.transforms.evidence.privacy.weighing import is_order
from surgqa.transforms.evidence.privacy.words import NAME_WORD, any_of, lists, words

MOST, LEAST, LONG, HYPHENED, WHOLE = 4, 3, 5, 6, 10
_NAMED = re.compile(r"\[NAME\] (?=\w)")
_ENDS = re.compile(r"(?<!-)\[(?:NAME|PLACE)\] (?P<it>-[a-z]\w*(?: -[a-z]\w*)?)(?! -)")
_BEHIND = re.compile(r"\[NAME\] (?P<it>(?:a|an|the|of|or) (?P<name>[A-Z][a-z]+))")
_AHEAD = re.compile(rf"(?<=[a-z,] )(?P<it>{NAME_WORD})(?= \[NAME\])")
_APPOSED = re.compile(
    r"\b(?:patient|surgeon|colleague|assistant|nurse|fellow|today|morning|afternoon),"
    r" (?P<it>[^,\[]{3,30}),? (?=(?:is|has|was|who|will)\b)", re.IGNORECASE
)  # fmt: skip
_OFFICE = re.compile(
    r"^\s*(?P<it>[^,\[]{3,30}), (?:[\w'’-]+[\s-]+){0,4}(?:resident|registrar|fellow|consultant"
    r"|surgeon|student|nurse|an(?:a?)esthetist|intern|attending|trainee|colleague|assistant),"
)
_GROUP = re.compile(
    r"\b(?:from|by|of|to|with) (?P<it>[A-Z][^,.\[]{2,24}?)"
    r" (?:and (?:his|her|their|colleagues|others|co-?workers)|et al)\b"
)
_BESIDE = re.compile(
    r"\b(?:with|beside|behind|next to|opposite|across from|assisting) (?:me|us)"
    r"(?: \w+)? (?:is|are|was|stands|sits|we have) (?P<it>[^,\[]{3,30})$", re.IGNORECASE
)  # fmt: skip
_PASSIVE = re.compile(
    r"\b(?:was|were|been|being|is|are)\s+(?:\w+\s+)?\w+(?:[dnt]|ne)\s+(?:\w+\s+)?by\s+"
    r"(?P<it>[A-Z][^,\[]{2,30}?)(?=\s+(?:in|at|on|for|this|last|from|with|before|after|of)\b|,|$)"
)
_LAST = re.compile(
    r"(?:is|am|by|of|with|called|named),? \[NAME\] (?P<it>[A-Za-z]{4,})(?=[.,?!\n]|$)"
)
_VERB = re.compile("i[sz](?:e[ds]?|ing)$")
_FIRST = re.compile(r"\s*(\w+ \w+) \[NAME\]")
_SENTENCE = re.compile(r"[^.?!\n]+")


def slotted(text: str) -> Iterator[tuple[int, int]]:
    """Spans of names that are recognised by their position."""
    for match in _SENTENCE.finditer(text):
        sentence, start = match[0], match.start()
        for first, last, how in _places(sentence):
            tokens = tokens_of(sentence[first:last])
            while how == "called" and len(tokens) > 1 and tokens[0].word in words("unlike_names"):
                tokens = tokens[1:]
            count = _named(tokens, how)
            if count:
                yield start + first + tokens[0].start, start + first + tokens[count - 1].end


def misspelled(text: str) -> Iterator[tuple[int, int]]:
    """Spans of unknown words that are nearly a name, or of words that make a long name together."""
    tokens = tokens_of(text)
    for place, token in enumerate(tokens):
        near = tokens[place : place + 4]
        noun = len(near) > 1 and near[1].word in words("eponym_nouns")
        near_name = token.gap[-1:] != "-" and near_a_name(token.word)
        near_name |= token.gap == " -" and len(token.word) > HYPHENED and is_family(token.word)
        if not noun and near_name and is_unknown(token) and not is_order(tokens, place):
            yield token.start, token.end
        for count in (3, 2):
            some = near[:count]
            apart = any(one.gap != " " for one in some[1:]) or len(some) < count
            plain = [one.word for one in some]
            common = all(word in words("never_names") for word in plain)
            if not apart and not common and not _meet(plain, "split") and split_name(plain):
                yield token.start, some[-1].end


def answered(text: str) -> Iterator[tuple[int, int]]:
    """Spans of names that answer a question ("Can you tell me your name?")."""
    for match in _asked().finditer(text):
        tokens = tokens_of(match["it"])
        while tokens and tokens[-1].word in words("openers") | words("closers"):
            tokens.pop()
        if tokens and len(tokens) <= MOST and _a_person([token.word for token in tokens]):
            yield match.start("it") + tokens[0].start, match.start("it") + tokens[-1].end


@cache
def _asked() -> re.Pattern[str]:
    who = rf"(?:{any_of(lists()['asked'])}|\bwho\b[^.?!\n]{{1,40}})"
    return re.compile(rf"{who}\?\s*(?P<it>[^,.?!\n\[]{{3,30}})(?=[,.?!\n]|$)", re.IGNORECASE)


def broken_off(text: str) -> Iterator[tuple[int, int]]:
    """Spans that continue a masked name: parts after a hyphen, and a family name after it."""
    for match in _ENDS.finditer(text):
        yield match.span("it")
    for match in _LAST.finditer(text):
        word = match["it"].lower()
        said = words("never_names") | words("closers") | words("eponym_nouns")
        if is_surname(word) and word not in said and not is_term(word):
            yield match.span("it")
    for match in _AHEAD.finditer(text):
        word = match["it"].lower()
        known = word in words("never_names") or any(word in t for t in lists()["titles"].values())
        before = re.search(r"[A-Za-z]*\s?$", text[: match.start()])[0].strip().lower()
        known |= before in words("articles") and is_word(word)
        known |= near_term(word) or like_a_term(word) or like_a_term(before + word)
        if not known and not is_term(word) and not is_eponym(word):
            yield match.span("it")
    for match in _BEHIND.finditer(text):
        if is_family(match["name"].lower()):
            yield match.span("it")


def _places(sentence: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, reason) where a person may be named; with "acts", it must be a person."""
    act = _acts().search(sentence)
    if act and _may_act(sentence[: act.start()]):
        yield 0, act.start(), "acts"
    for pattern in (*_between(), _APPOSED, _OFFICE, _GROUP, _BESIDE, _PASSIVE):
        if match := pattern.search(sentence):
            yield *match.span("it"), "acts"
    for lead in _leads().finditer(sentence):
        comma = sentence.find(",", lead.end())
        yield lead.end(), len(sentence) if comma < 0 else comma, "led"
    called = _called().match(sentence)
    if called:
        yield *called.span("it"), "called"
    last = _last().search(sentence)
    if last and last["it"].strip().lower() not in words("closers"):
        yield *last.span("it"), "called"
    for named in _NAMED.finditer(sentence):
        yield named.end(), len(sentence), "joined"
    first = _FIRST.match(sentence)
    if first and first[1].lower() not in words("openers"):
        yield *first.span(1), "joined"


def _may_act(subject: str) -> bool:
    """Whether a sentence's subject may be a name; common words beside a masked name are not."""
    return "[NAME]" not in subject or any(is_unknown(token) for token in tokens_of(subject))


def _named(tokens: Sequence[TextToken], how: str) -> int:
    """Return how many of the words, from the first, are a person's name.

    Args:
        how: the reason that :func:`_places` gives.
    """
    plain = [token.word for token in tokens]
    if any(token.text.isdigit() for token in tokens[:3]):
        return 0
    if not tokens or (how == "acts" and len(tokens) > MOST):
        return 0
    if how == "acts" and any(_owns(token) for token in tokens[:-1]):
        return 0  # "Bennett's card says": the card is the subject
    if how == "acts" and _a_person(plain):
        return len(tokens)
    if how == "called" and len(tokens) < MOST and _calls(tokens):
        return len(tokens)
    for count in range(min(3, len(tokens)), 1, -1):
        whole = "".join(plain[:count])
        like = like_a_name(plain[:count]) or near_a_name(whole, WHOLE, LIKE)
        if like and not _meet(plain[:count], how):
            return count
    return int(how != "joined" and is_unknown(tokens[0]) and _likely(tokens[0]))


def _owns(token: TextToken) -> bool:
    """Whether a word, or the masked name before it, has a genitive ending."""
    return re.search(r"['’]s$", token.gap[-1:] + token.text) is not None


def _calls(tokens: Sequence[TextToken]) -> bool:
    """Whether words where somebody may be addressed are a name or contain an unknown word."""
    word = tokens[0].word
    if any(is_unknown(token) for token in tokens):
        ends = tokens[-1].word in words("objects")
        return not ends and word not in words("articles") | {"no", "not", "too"}
    known = word in words("never_names") or word in words("openers") or is_term(word)
    return len(tokens) == 1 and not known and (is_census_given(word) or is_family(word))


def _likely(token: TextToken) -> bool:
    return token.capital or like_a_name([token.word]) or near_a_name(token.word, SHORTEST, LIKE)


def _a_person(plain: Sequence[str]) -> bool:
    """Whether the subject is a name: not a noun with an article, a pronoun or a profession."""
    known = words("never_names") | words("persons") | words("articles")
    return (
        plain[0] not in known
        and plain[-1] not in words("persons") - words("never_names")
        and not all(is_term(word) for word in plain)
    )


def _meet(plain: Sequence[str], how: str) -> bool:
    """Whether words are an ordinary phrase: only common words or medical terms, or an eponym."""
    if how == "acts":
        return plain[0] in words("articles") or plain[-1] in words("persons")
    if plain[0] in words("person_verbs" if how == "joined" else "articles"):
        return all(is_word(word) for word in plain)
    if how == "joined" and plain[-1] in words("articles"):
        return True
    least = LONG if how == "joined" else LEAST
    common = [word in words("never_names") or len(word) < least for word in plain]
    if how == "split":
        common = [one or word in words("persons") for one, word in zip(common, plain, strict=True)]
    if how != "joined":
        common = [one or is_term(word) for one, word in zip(common, plain, strict=True)]
    return all(common) or any(is_eponym(word) for word in plain)


def is_unknown(token: TextToken) -> bool:
    """Whether a word is neither a common word nor a medical term, not even a misheard one."""
    known = is_word(token.word) or is_eponym(token.word) or is_term(token.word)
    known |= any(token.word in titles for titles in lists()["titles"].values())
    known |= token.word in words("never_names") | words("persons")
    known |= near_term(token.word) or is_word(re.sub("e?rs?$", "", token.word))
    known |= _VERB.search(token.word) is not None
    return len(token.word) >= LEAST and token.word.isalpha() and not known


@cache
def _acts() -> re.Pattern[str]:
    return re.compile(rf"(?<=\s){any_of(lists()['person_acts'])}\b", re.IGNORECASE)


@cache
def _between() -> tuple[re.Pattern[str], ...]:
    """Patterns of a name between two phrases: one for each first phrase, with all second ones."""
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

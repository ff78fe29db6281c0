"""Names of people without a cue, in any case: a list of names, checked against the context.

Recognised speech has first names that stand alone, names at the start of a sentence, names that are
misheard and so in no list, and unreliable capitals.  A word is a person's name

* if the list has it as a given name and it is not a common word;
* with a capital, if the list has it as a family name, or if it is unknown and does not start the
  sentence;
* in lower case, if a title, an introducing phrase or a greeting comes before it.

Medical terms, eponyms, and words before a noun of eponyms are never names without a cue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from surgqa.transforms.evidence.privacy.gazetteer import (
    is_census_given,
    is_family,
    is_frequent,
    is_given,
    is_listed,
    is_surname,
    is_word,
)
from surgqa.transforms.evidence.privacy.sounding import like_a_name, like_a_term
from surgqa.transforms.evidence.privacy.terms import is_eponym, is_term, near_long_term, near_term
from surgqa.transforms.evidence.privacy.tokens import TOKEN, TextToken, tokens_of
from surgqa.transforms.evidence.privacy.words import LETTERS, any_of, lists, words

_BROKEN = re.compile(rf"(?P<head>{LETTERS}+) -(?P<tail>{LETTERS}+)(?![\w-])")
LONGEST = 4
LEAST = 3


def weighed(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of names, without titles and introducing phrases.

    The kind is NAME; after "in" it is PLACE.
    """
    tokens = tokens_of(text)
    yield from _broken(text)
    yield from _announced(text)
    place = 0
    while place < len(tokens):
        last = _end(text, tokens, place) if _begins(text, tokens, place) else place
        if last > place:
            before = tokens[place - 1].word if place else ""
            kind = "PLACE" if before == "in" and tokens[place].gap == " " else "NAME"
            yield tokens[place].start, _bare(tokens[last - 1]), kind
        place = max(last, place + 1)


def _broken(text: str) -> Iterator[tuple[int, int, str]]:
    """Names that a recogniser split into two parts with a hyphen ("dela -gado")."""
    for match in _BROKEN.finditer(text):
        head, tail = match["head"].lower(), match["tail"].lower()
        whole = head + tail
        plain = is_word(head) and is_word(tail)
        named = is_family(whole) or is_given(whole)
        loose = like_a_name([head, tail]) or (not plain and _called(text, match))
        named |= loose and head not in words("never_names")
        known = is_listed(whole) or is_eponym(whole) or is_eponym(head) or is_eponym(tail)
        if named and not known and not _noun_at(text, match.end()):
            yield match.start("head"), match.end("tail"), "NAME"


def _called(text: str, match: re.Match[str]) -> bool:
    """Whether the words stand alone between pauses, as when a person is called."""
    return re.search(r"(?:^|[.?!,\n])\s*$", text[: match.start()]) is not None and (
        text[match.end() : match.end() + 1] in {",", ".", ""}
    )


def _announced(text: str) -> Iterator[tuple[int, int, str]]:
    """The words after "the patient's name is", whatever the recogniser wrote for the name."""
    for match in _announcing().finditer(text):
        if match["it"].split()[0].lower().lstrip("-") not in words("never_names"):
            yield *match.span("it"), "NAME"


@cache
def _announcing() -> re.Pattern[str]:
    word = rf"-?(?!(?:{any_of(lists()['name_ends'])})\b){LETTERS}[\w'’-]*"
    cues = any_of(lists()["announcing"])
    return re.compile(
        rf"\b{cues}\b[\s.,:]+(?:(?<=as )an?\s+)?(?P<it>{word}(?: {word}){{0,2}})",
        re.IGNORECASE,
    )


def _noun_at(text: str, place: int) -> bool:
    """Whether the next word is a noun that follows eponyms ("triangle")."""
    after = TOKEN.match(text, place + 1)
    return after is not None and text[place] == " " and after[0].lower() in words("eponym_nouns")


def _bare(token: TextToken) -> int:
    """The end of a token without its genitive ending."""
    return token.start + len(token.word) if token.text.lower().startswith(token.word) else token.end


def _begins(text: str, tokens: Sequence[TextToken], place: int) -> bool:
    token = tokens[place]
    if len(token.word) < LEAST or not token.text[0].isalpha() or _named_after(tokens, place):
        return False
    if token.word in _titles():
        return False
    if _common(token.word):
        called = not token.first or text[token.end : token.end + 1] == ","
        strong = _led(text, token, "called") or (called and is_census_given(token.word))
        unnamed = token.word in words("never_names") or is_term(token.word)
        return token.capital and strong and not unnamed and not _article(tokens, place)
    if token.word in words("never_names"):
        return False
    if is_given(token.word):
        return token.capital or is_frequent(token.word) or _led(text, token, "led")
    if not token.capital:
        known = is_family(token.word) or _led(text, token, "called")
        return known and _led(text, token, "led")
    if is_family(token.word):
        return not is_order(tokens, place) and not _article(
            tokens, place, ("the", "a", "an", "this", "that")
        )
    if token.first:
        return _person(tokens, place) or _led(text, token, "called")
    addressed = _addressed().search(text, max(0, token.start - 40), token.start) is not None
    addressed &= text[token.end : token.end + 1] in {",", ".", "?", "!"}
    return not _article(tokens, place) and (addressed or not _misheard_term(tokens, place))


def _common(word: str) -> bool:
    """Whether every part of a word is a common word."""
    parts = re.split("[-'’]", word)
    return all(len(part) < LEAST or is_word(part) for part in parts) or word in _titles()


def _named_after(tokens: Sequence[TextToken], place: int) -> bool:
    """Whether a word is an eponym, or comes before a noun of eponyms ("Kalot triangle")."""
    pair = f"{tokens[place - 1].word} {tokens[place].word}" if place else ""
    return is_eponym(tokens[place].text) or is_eponym(pair) or _named_noun(tokens, place)


def _named_noun(tokens: Sequence[TextToken], place: int) -> bool:
    """Whether the next word, without a pause before it, is a noun that follows eponyms."""
    nouns = words("eponym_nouns")
    near = tokens[place + 1 : place + 2]
    return any(t.word in nouns and not set(",.?!;:\n") & set(t.gap) for t in near)


def _article(tokens: Sequence[TextToken], place: int, which: Sequence[str] = ()) -> bool:
    """Whether an article comes before a word: "the Bennett" is a thing, not a person.

    Args:
        which: articles that count; empty for all.
    """
    before = tokens[place - 1] if place else None
    return (
        before is not None
        and before.text.lower() == before.word  # "that's" is not an article
        and before.word in (which or words("articles"))
        and tokens[place].gap == " "
    )


def is_order(tokens: Sequence[TextToken], place: int) -> bool:
    """Whether a sentence begins with a verb that was misheard ("Redding that back")."""
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    behind = words("behind_verbs")
    return tokens[place].first and after is not None and after.gap == " " and after.word in behind


def _person(tokens: Sequence[TextToken], place: int) -> bool:
    """Whether the next word shows that a person is addressed or spoken about."""
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after is None:
        return False
    acts = after.word in words("person_verbs") or (after.word.endswith("s") and is_word(after.word))
    acts &= after.gap in (" ", ", ")
    paired = after.gap == " " and after.capital and not _common(after.word)
    beside = after.word == "and" and after.gap == " " and tokens[place + 2 : place + 3]
    if beside and beside[0].word in ("i", "me", "us", "you"):
        return True
    return after.gap.startswith(",") or (not near_term(tokens[place].word) and (acts or paired))


@cache
def _addressed() -> re.Pattern[str]:
    """Pattern of the words before the name of a person who is addressed: an opener and a comma."""
    return re.compile(rf"(?:^|[.?!\n])\s*{any_of(lists()['openers'])},\s*$", re.IGNORECASE)


def _misheard_term(tokens: Sequence[TextToken], place: int) -> bool:
    """Whether a word, alone or joined with a neighbour, sounds like a medical term."""
    word = tokens[place].word
    pairs = [word]
    near = ((place - 1, place), (place, place + 1))
    for first, last in near:
        other = first + last - place
        if first >= 0 and last < len(tokens) and tokens[last].gap in (" ", " -"):
            # A common neighbour was recognised correctly, so it is no part of a misheard term.
            heard = is_word(tokens[other].word) and (
                tokens[other].first or not tokens[other].capital
            )
            pairs += [] if heard else [tokens[first].word + tokens[last].word]
    return near_term(word) or any(like_a_term(pair) or near_long_term(pair) for pair in pairs)


@cache
def _titles() -> frozenset[str]:
    return frozenset((*lists()["titles"]["short"], *lists()["titles"]["long"]))


@cache
def _leads(kind: str) -> re.Pattern[str]:
    called = [*lists()["cues"], *lists()["called"]]
    if kind == "led":
        titles = [*lists()["titles"]["short"], *lists()["titles"]["long"]]
        called += [*titles, *lists()["greetings"], *lists()["vocatives"]]
    return re.compile(rf"(?<![\w'’]){any_of(called)}\b[\s.,:]*$", re.IGNORECASE)


def _led(text: str, token: TextToken, kind: str) -> bool:
    return _leads(kind).search(text, max(0, token.start - 40), token.start) is not None


def _end(text: str, tokens: Sequence[TextToken], place: int) -> int:
    """The index after the last word of a name that begins here."""
    last = place + 1
    while last < min(len(tokens), place + LONGEST):
        token, before = tokens[last], tokens[last - 1]
        if (
            token.gap not in (" ", "-", ". ", "\n")
            or before.text != before.text[: len(before.word)]
        ):
            break
        if token.gap == ". " and len(before.text) > 1:
            break
        if token.gap == "\n" and not token.capital:
            break
        pause = text[token.end : token.end + 1] in {",", ".", "?", "!"}
        if not _goes_on(token, before, pause) or (
            is_eponym(token.text) and _named_noun(tokens, last)
        ):
            break
        last += 1
    return last


def _goes_on(token: TextToken, before: TextToken, pause: bool) -> bool:
    written = token.capital and token.gap == " " and is_given(before.word)
    if written and (pause or (is_surname(token.word) and not is_term(token.word))):
        return True  # "Josh Hold": within a sentence, a verb would have no capital
    if token.word in words("never_names") or token.text.isdigit():
        return False
    if is_eponym(token.text):
        return token.capital
    if token.capital:
        return token.gap != "\n" or not _common(token.word)
    named = is_family(token.word) or is_given(token.word)
    return named and not _common(token.word)

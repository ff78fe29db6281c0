"""Check the grammar of a wording before values are inserted.

Some instruments are plural ("the scissors are"). A word that must agree with the instrument is
therefore printed by a filter; a literal 'is' would be right for singular instruments only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from surgqa.transforms.language.wording import Ref, Wording

Paths = frozenset[tuple[str, ...]]
"""Paths of references that print an instrument or a class, such as ('answer', 'kind')."""

_AGREEING = {"is": "is", "are": "is", "does": "does", "has": "has", "have": "has", "moves": "moves"}
_VERB_BEFORE = re.compile(
    # Only a verb before its subject counts; 'the instrument is the hook' is correct.
    r"(?:^|[,;.?!] |\b(?:where|when|why|how(?: \w+)?|(?:which|what)(?: \w+)?|and|or) )"
    r"(is|are|does|has|have)\s+$",
    re.IGNORECASE,
)
_VERB_AFTER = re.compile(r"^\s+(is|are|does|has|have|moves)\b", re.IGNORECASE)
_NOT_THE_SUBJECT = re.compile(
    r"\b(of|to|from|with|by|for|on|in|at|near|around|than)\s+$", re.IGNORECASE
)
_ARTICLE_BEFORE = re.compile(r"\b(an?|the)\s+$", re.IGNORECASE)
_BAD_ARTICLE = re.compile(
    r"\b(?:[Aa] [aeio]\w+|[Aa]n (?:[bcdfgj-np-tv-z]|h(?!our|onest|eir))\w+)"  # not 'an MRI'
)
_SOUNDS_OTHERWISE = re.compile(r"^[Aa] (one|once|eu\w+)$")
_NAMES = (("the",), ("a",), ("any",), ("name",))
_WITH_ARTICLE = _NAMES[:3]
_START = r"(^|(?<!\.\w)[.?!] )"  # start of a sentence; the stop in 'e.g.' does not end one
_SLOT_FIRST = re.compile(_START + r"\N{WHITE SQUARE}")
_SMALL_FIRST = re.compile(_START + r"[a-z]")
_TWICE = re.compile(r"\b([a-z]+) \1\b", re.IGNORECASE)


def marks_and_spaces(text: str, question: bool) -> Iterator[str]:
    """Yield messages about end marks, spaces, capital letters and doubled words.

    Args:
        text: the wording, with one character in place of every reference ``{{ … }}``.
        question: True if the text is shown as a question, so that it must be a sentence.
    """
    if not text.strip():
        yield "the text is empty"
        return
    if "  " in text or text != text.strip():
        yield "double space, or space at the start or end"
    if re.search(r"\s[?.,;:](\s|$)", text):
        yield "space before a mark"
    twice = _TWICE.search(text)
    if twice:
        yield f"the word {twice.group(1)!r} is repeated"
    if question and not text.endswith(("?", ".")):
        yield "no question mark or full stop at the end"
    if question and _SLOT_FIRST.search(text):
        yield "a sentence starts with a slot, which is printed in lower case"
    elif question and _SMALL_FIRST.search(text):
        yield "a sentence does not start with a capital letter"


def articles(wording: Wording, instruments: Paths) -> Iterator[tuple[str, str]]:
    """Yield (message, fix) for 'a' before a vowel, or before a filter that prints an article."""
    for before, piece, _ in _neighbours(wording):
        if isinstance(piece, str):
            found = _BAD_ARTICLE.search(piece)
            if found and not _SOUNDS_OTHERWISE.match(found.group(0)):
                noun = found.group(0).split()[1]
                right = "an" if noun[0].lower() in "aeio" else "a"
                yield f"article of {found.group(0)!r}", f"write '{right} {noun}'"
            continue
        doubled = _ARTICLE_BEFORE.search(before)
        if doubled and piece.filters[:1] in _WITH_ARTICLE:
            yield f"article before {_shown(piece)}, which prints one", "remove the article"
        elif doubled and doubled.group(1).lower() != "the" and _names_one(piece, instruments):
            yield f"article before {_shown(piece)}", f"write {{{{ {piece.path[0]} | a }}}}"


def agreement(wording: Wording, instruments: Paths) -> Iterator[tuple[str, str]]:
    """Yield (message, fix) for a literal verb next to an instrument, whose name may be plural."""
    for before, piece, after in _neighbours(wording):
        if isinstance(piece, str) or not _names_one(piece, instruments):
            continue
        joined = before.endswith(" and ") or re.match(r"\s+and\s*$", after) is not None
        subject = not _NOT_THE_SUBJECT.search(before)
        for found in (_VERB_BEFORE.search(before), subject and _VERB_AFTER.match(after)):
            if found and not joined:
                verb = found.group(1).lower()
                fix = f"write {{{{ {piece.path[0]} | {_AGREEING[verb]} }}}} for '{verb}'"
                yield f"{verb!r} does not agree with a plural {_shown(piece)}", fix


def _neighbours(wording: Wording) -> Iterator[tuple[str, str | Ref, str]]:
    """Yield each piece with the literal text directly before it and directly after it."""
    texts = ["", *(p if isinstance(p, str) else "" for p in wording), ""]
    for i, piece in enumerate(wording):
        yield texts[i], piece, texts[i + 2]


def _names_one(piece: Ref, instruments: Paths) -> bool:
    """True if the reference ``{{ … }}`` prints the name of an instrument or a class."""
    return piece.path in instruments and piece.filters[:1] in _NAMES


def _shown(piece: Ref) -> str:
    return "{{ " + " | ".join((".".join(piece.path), *piece.filters)) + " }}"

"""Find the action that one entry of a ranking names."""

from __future__ import annotations

import re
from functools import cache

from ontology.concepts import vocabulary
from ontology.next_actions import action_ids, action_named, next_actions, spelling
from transforms.scoring.lexicon import Lexicon

LETTERS = "".join(one.letter for one in next_actions())

_OUTER = " \t\n\"'[]<>•#"
_LETTERED = re.compile(
    rf"(?:(?:option|choice|action|label|answer|letter) )?\(?([{LETTERS}])"
    rf"(?:\s*[).:\]|-]+\s*|\s*$)(.*)",
    re.DOTALL | re.IGNORECASE,
)
_HEAD_ENDS = re.compile(
    r"[:;,(\n=|]|\.(?:\s|$)|\s-+>?\s|\b(?:because|since|before|after|so that|in order|rather)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"(?:no|not|never|avoid|don't)\b", re.IGNORECASE)
_GENERIC = re.compile(
    r"(?:the )?(?:(?:most|next|second|third|likely|ready|immediate|predicted|surgical|top)[ -])*"
    r"(?:action|step|label|choice|option|prediction|answer|rank|name|likely)(?: is)?",
    re.IGNORECASE,
)
_SHORT = 4
"""Maximum number of words in a name; a longer text is a sentence."""
_READ = 200
"""Number of characters of an entry that are read."""


def named(entry: str) -> str | None:
    """Return the action that an entry of a ranking names, None if it names none.

    The name comes at the start of the entry, before any reason.  A letter counts only without a
    name after it, because some models number their own ranking with letters.  A lone ``a`` is
    an article.
    """
    entry = entry.strip(_OUTER)[:_READ]
    lettered = _LETTERED.match(entry)
    if not lettered or entry in LETTERS.lower():
        return _by_name(entry)
    beside = lettered[2].strip(_OUTER)
    if beside and (action := _by_name(beside)):
        return action
    if beside and is_short(head_of(beside)):
        return None
    return action_ids()[LETTERS.index(lettered[1].upper())]


def is_lettered(line: str) -> bool:
    """Return whether a line starts with a letter of the list and the name of an action."""
    found = _LETTERED.match(line.strip(_OUTER))
    return found is not None and action_named(head_of(found[2])) is not None


def head_of(entry: str) -> str:
    """Return the text before the reason."""
    return _HEAD_ENDS.split(entry.strip(_OUTER), maxsplit=1)[0].strip(_OUTER)


def is_short(text: str) -> bool:
    """Return whether a text is short enough to be a name."""
    return 0 < len(spelling(text)) <= _SHORT


def _by_name(entry: str) -> str | None:
    head = head_of(entry)
    if _NOT.match(head):
        return None
    exact = action_named(head)
    if exact:
        return exact
    rest = entry[len(head) :].lstrip(" :=-")
    if _GENERIC.fullmatch(head) and rest:
        return _by_name(rest)
    found = _lexicon(False).find(head)
    return found[0].id if found else None


def in_prose(text: str) -> list[str]:
    """Return the actions named in prose, in reading order; names of phases are ignored."""
    return [found.id for found in _lexicon(True).find(text)]


@cache
def _lexicon(masked: bool) -> Lexicon:
    ids: dict[tuple[str, ...], str | None] = {}
    if masked:
        for term in vocabulary("phases").values():
            names = (term.id, term.display, *term.synonyms)
            ids |= {words: None for name in names if len(words := spelling(name)) > 1}
    for one in next_actions():
        ids |= dict.fromkeys(one.spellings, one.id)
    bare = frozenset({"clip", "clips", "cut", "cuts", "grasp"})
    return Lexicon(ids, max(len(words) for words in ids), bare)

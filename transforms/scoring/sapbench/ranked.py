"""Read a ranking of actions from a model's response, in any of the forms that models use.

The forms are tried in this order: JSON, numbered entries, letters, one line with commas or arrows,
lines, prose. The last list in this form that names an action is taken. An entry that names no known
action keeps its rank: if it comes first, rank one is wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.names import words_of
from surgqa.ontology.next_actions import action_ids, action_named, next_actions
from surgqa.transforms.scoring.lexicon import Lexicon
from surgqa.transforms.scoring.text import answer_parts, tidy

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
"""Maximum number of words in a name; a text with more words is a sentence."""
_READ = 200
"""Maximum number of characters that are read of an entry."""


def named(entry: str) -> str | None:
    """Return the action that an entry of a ranking names, None if it names none.

    The name is at the start of the entry, before any reason. A letter stands for an action only if
    no name follows, because some models number their rankings with letters. A lower-case ``a`` is
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
    """Return whether a line starts with a letter and the name of an action, as in "A) clip"."""
    found = _LETTERED.match(line.strip(_OUTER))
    return found is not None and action_named(head_of(found[2])) is not None


def head_of(entry: str) -> str:
    """Return the part of an entry before the reason."""
    return _HEAD_ENDS.split(entry.strip(_OUTER), maxsplit=1)[0].strip(_OUTER)


def is_short(text: str) -> bool:
    """Return whether a text has few enough words to be a name."""
    return 0 < len(words_of(text)) <= _SHORT


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
            ids |= {words: None for name in names if len(words := words_of(name)) > 1}
    for one in next_actions():
        ids |= dict.fromkeys(one.spellings, one.id)
    bare = frozenset({"clip", "clips", "cut", "cuts", "grasp"})
    return Lexicon(ids, max(len(words) for words in ids), bare)


LONGEST = 40_000
"""Maximum number of characters that are read, counted from the end of a response."""
_MOST_STARTS = 64
_LISTED = 2
"""Maximum number of words of an unknown name in a list with commas."""

Entries = list[str]
"""The texts of the entries of one list, in order."""
Mark = tuple[int, int, int]
"""(rank, start, end) of a number before an entry, as indices in the text."""

_ASKED = re.compile(
    r"^[# \d.():-]*+(?:ready[ -]to[ -]execute(?: actions?)?|(?:ranked )?next (?:surgical )?actions?"
    r"|ranked actions?)(?:\s*\([^)\n]*\))?\s*(?::|-|$)",
    re.IGNORECASE | re.MULTILINE,
)
_SECTION = re.compile(
    r"(?:scene|progress|safety|ready[ -]to[ -]execute|surgical (?:scene|progress))\b.*",
    re.IGNORECASE | re.DOTALL,
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_NUMBERED = re.compile(
    r"^[ #>•|-]*+(?:(?:(?:rank|action|option|choice|top|priority|candidate|prediction|no\.?|number"
    r"|next action)\s*[-#]?\s*)?[\[(#]*([1-9]\d?)(?:st|nd|rd|th)?\s*[\])]*\s*(?:[.):\]|-](?!\d)"
    r"|\ufe0f?\u20e3)"
    rf"|({'|'.join(_ORDINALS)})(?:ly)?(?: (?:choice|action|option|priority|rank))?\s*[:,.)-])\s*",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE = re.compile(
    r"(?:^|(?<=[\s(]))(?:\(?([1-9])[.):]\s*(?=[A-Za-z(\"'])"
    rf"|({'|'.join(_ORDINALS)})(?:ly)?\s*[:,]\s*)",
    re.IGNORECASE,
)
_LETTERS = re.compile(
    rf"[\[(]*[{LETTERS}][\])]*(?:\s*(?:[,;>/|]|->|\s)\s*[\[(]*[{LETTERS}][\])]*){{0,9}}[\s.]*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s*[-•+>]\s+")
_REASON = re.compile(
    r"[ >•+\"'-]*(?:reasons?|reasoning|rationales?|why|because|justifications?|explanations?"
    r"|evidence)(?![a-z])",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^()\n]*\)")
_BETWEEN = re.compile(r"\s*(?:[,;|/]|->|>|\bthen\b|\band\b)\s*", re.IGNORECASE)
_LEAD = re.compile(r"[^:\n]{0,60}:\s*")
_DIGITS = re.compile(r"[0-9]{1,9}")
_NAME_KEYS = ("action", "next_action", "label", "name", "answer", "prediction")
_RANK_KEYS = ("rank", "priority", "order", "position")


@dataclass(frozen=True, slots=True)
class ReplyRanking:
    """A ranking that was read from a response.

    Attributes:
        entries: actions in order, each once; None stands for an entry that names no action.
        unknown: the texts of entries that name no action.
        duplicates: number of entries that were dropped because they repeat an earlier one.
        form: form of the list: ``json``, ``numbered``, ``letters``, ``list``, ``lines``, ``prose``;
            ``none`` if nothing could be read.
    """

    entries: tuple[str | None, ...]
    unknown: tuple[str, ...]
    duplicates: int
    form: str


NOTHING = ReplyRanking((), (), 0, "none")


def read_ranked(response: str) -> ReplyRanking:
    """Return the ranking in a response; :data:`NOTHING` if it has none."""
    parts = [_asked(part) for part in answer_parts(tidy(response[-LONGEST:]))]
    for part in parts:
        for form, lists in FORMS.items():
            known = [one for one in lists(part) if any(map(named, one))]
            if known:
                return _ranked(known[-1], form)
    for part in parts:
        for form, lists in FORMS.items():
            short = [one for one in lists(part) if all(map(_is_name, one))]
            if short:
                return _ranked(short[-1], form)
    for part in parts:
        if actions := in_prose(part):
            return _ranked(actions, "prose")
    only = parts[0].strip()
    return _ranked([only], "lines") if is_short(only) else NOTHING


def _asked(text: str) -> str:
    """Return the text below the heading of the ranking, or the whole text without a heading."""
    headings = list(_ASKED.finditer(text))
    rest = text[headings[-1].end() :].strip() if headings else ""
    return rest or text


def _is_name(entry: str) -> bool:
    head = head_of(entry)
    return is_short(head) and not _SECTION.fullmatch(head)


def _ranked(texts: Sequence[str], form: str) -> ReplyRanking:
    entries, unknown = list[str | None](), list[str]()
    seen: set[object] = set()
    for text in texts:
        action = named(text)
        key: object = action or words_of(head_of(text))
        if key in seen or not key:
            continue
        seen.add(key)
        entries.append(action)
        if action is None:
            unknown.append(head_of(text))
    return ReplyRanking(tuple(entries), tuple(unknown), len(texts) - len(entries), form)


# ---- forms --------------------------------------------------------------------------


def _json_lists(text: str) -> list[Entries]:
    decoder, out, at = json.JSONDecoder(), list[Entries](), 0
    for _ in range(_MOST_STARTS):
        start = min((k for k in (text.find("[", at), text.find("{", at)) if k >= 0), default=-1)
        if start < 0:
            break
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        if entries := _of_json(value):
            out.append(entries)
    return out


def _of_json(value: Any) -> Entries:
    """Return the entries in a JSON value: a list, an object with a list, or ranks as keys."""
    if isinstance(value, list):
        ranks = [rank for one in value if (rank := _rank(one)) is not None]
        if len(ranks) == len(value):
            value = [value[k] for k in sorted(range(len(value)), key=ranks.__getitem__)]
        return [text for one in value if (text := _text(one))]
    if not isinstance(value, dict):
        return []
    said = {key: one for key, one in value.items() if not _REASON.match(key)}
    lists = [found for one in said.values() if isinstance(one, list) and (found := _of_json(one))]
    if lists:
        return next((one for one in reversed(lists) if any(map(named, one))), lists[-1])
    numbered = sorted((int(n[0]), k) for k in said if (n := _DIGITS.findall(k)))
    ranked = [said[key] for _, key in numbered] or [said[n] for n in _ORDINALS if n in said]
    entries = [text for one in ranked or [said] if (text := _text(one))]
    if entries:
        return entries
    inner = [one for one in reversed(list(said.values())) if isinstance(one, dict)]
    return next((found for one in inner if (found := _of_json(one))), [])


def _rank(value: Any) -> int | None:
    found = (value.get(key) for key in _RANK_KEYS) if isinstance(value, dict) else ()
    return next((rank for rank in found if type(rank) is int), None)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        found = (value.get(key) for key in _NAME_KEYS)
        value = next((name for name in found if isinstance(name, str)), "")
    elif isinstance(value, list):
        value = next((name for name in value if isinstance(name, str)), "")
    return value.strip() if isinstance(value, str) else ""


def _numbered_lists(text: str) -> list[Entries]:
    """Return lists numbered at line starts or within a line; a lower number starts a new list."""
    marks = [(_number(m), m.start(), m.end()) for m in _NUMBERED.finditer(text)]
    inline = _inline(text) if len(marks) < 2 else []
    if not marks or not inline:
        return _between(text, marks or inline)
    # A list within a line after a single number may be part of the reason for that rank.
    ordered = (inline, marks) if inline[0][1] > marks[0][1] else (marks, inline)
    return [entries for some in ordered for entries in _between(text, some)]


def _between(text: str, marks: Sequence[Mark]) -> list[Entries]:
    """Return the lists of texts between the numbers; a lower number starts a new list."""
    if not marks:
        return []
    out, before = list[Entries](), 0
    ends = [start for _, start, _ in marks[1:]] + [len(text)]
    for (number, _, begin), end in zip(marks, ends, strict=True):
        if number <= before or not out:
            out.append([])
        before = number
        out[-1].append(text[begin:end].strip(" \n;,"))
    return [[entry for entry in one if entry] for one in out if any(one)]


def _number(mark: re.Match[str]) -> int:
    return int(mark[1]) if mark[1] else _ORDINALS.index(mark[2].lower()) + 1


def _inline(text: str) -> list[Mark]:
    """Return the numbers 1, 2, … of the last list within a line that has at least two."""
    marks: list[Mark] = []
    best: list[Mark] = []
    for mark in _INLINE.finditer(text):
        number = _number(mark)
        if number == 1:
            marks = []
        if number == len(marks) + 1:
            marks.append((number, mark.start(), mark.end()))
        if len(marks) > 1:
            best = marks
    return best


def _letter_lists(text: str) -> list[Entries]:
    if not _LETTERS.fullmatch(text.strip()):
        return []
    return [[letter.upper() for letter in text if letter.upper() in LETTERS]]


def _line_lists(text: str) -> list[Entries]:
    """Return blocks of lines, each with a bullet, a letter or a name, and perhaps a reason.

    A line with only a reason belongs to the entry above it.
    """
    out: list[Entries] = [[]]
    for line in text.split("\n"):
        if out[-1] and _REASON.match(line):
            continue
        bullet = _BULLET.match(line)
        entry = line[bullet.end() :] if bullet else line
        if bullet or action_named(head_of(entry)) or is_lettered(entry):
            out[-1].append(entry)
        elif out[-1]:
            out.append([])
    return [one for one in out if one]


def _comma_lists(text: str) -> list[Entries]:
    """Return the list of actions in a line such as "Next: clip, cut, dissect".

    Commas or arrows separate them. If several lines have commas, return [], because each line is
    then one action with a reason after the comma.
    """
    out = []
    for line in text.split("\n"):
        for part in _unled(_ASIDE.sub("", line)):
            pieces = [piece for piece in _BETWEEN.split(part.strip(" .[]()")) if piece]
            if len(pieces) > 1 and all(map(_is_listed, pieces)):
                out.append(pieces)
                break
    return out if len(out) == 1 else []


def _is_listed(piece: str) -> bool:
    return action_named(piece) is not None or 0 < len(words_of(piece)) <= _LISTED


def _unled(line: str) -> Iterator[str]:
    lead = _LEAD.match(line)
    if lead and line[lead.end() :].strip():
        yield line[lead.end() :]
    yield line


FORMS: dict[str, Callable[[str], list[Entries]]] = {
    "json": _json_lists,
    "numbered": _numbered_lists,
    "letters": _letter_lists,
    "list": _comma_lists,
    "lines": _line_lists,
}
"""Form of a ranking -> function that returns the lists in this form."""

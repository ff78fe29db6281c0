"""Functions that find a single value, such as a time or a box, in a tidy text.

They accept any string and raise no errors. A function returns the value, or None if the text has
none; if its name is a plural, it returns a list. Boxes are fractions of the frame, times are
seconds. :mod:`.passages` combines these functions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from surgqa.ontology.names import words_of
from surgqa.transforms.scoring.lexicon import labels, lexicon
from surgqa.transforms.scoring.text import NUMBER, number

Box = tuple[float, float, float, float]
"""x1, y1, x2, y2 with x1 <= x2 and y1 <= y2, all in [0, 1]."""

Instrument = tuple[str, int | None]
"""Instrument id, and the number after 'instance'; None if the text states no number."""

GRID = 1000.0

# ---- options ------------------------------------------------------------------------

_LEADING = re.compile(
    r"[\s(\"'\[{]*([A-Za-z])(?:[\])}.:,\"'\s]*$|[\])}.:,]|(?=[^\x00-\x7f]| (?:because|since) ))"
)
_LISTED = re.compile(r"^[\s(\"'\[{]*([A-Za-z])[\])}.:]", re.MULTILINE)
_NAMED = re.compile(r"\b(?:option|choice)(?: is)?[:\s(\"'\[]*([A-Za-z])(?![\w'])", re.IGNORECASE)
_BRACKETED = re.compile(r"(?<![A-Za-z0-9_'])\(?([A-Za-z])\)")
# Not an article: "A grasper", "A GRASPER".  Lookarounds are ASCII, as Chinese has no spaces.
_CAPITAL = re.compile(
    r"(?<![A-Za-z0-9_'])([A-Z])(?![A-Za-z0-9_'])(?! (?!(?:or|and) [A-Z]\b)[a-z])(?! [A-Z]{2})"
)
_SEVERAL = re.compile(
    r"[\s(\"'\[{]*[A-Z][\])}]?(?:,? (?:or|and) |, ?|/| & )\(?([A-Z])(?![A-Za-z0-9_']| [a-z])"
)
_KEYS = r"\(?[A-Z]\)?(?:(?:,? (?:or|and) |, ?|/)\(?[A-Z]\)?)*(?![A-Za-z0-9_'])"
_REFUSED = re.compile(
    r"(?:(?i:\b(?:can)?not|n't|\b(?:nor|neither|never|except|excluding|(?:rather|other) than|"
    r"instead of|rul(?:e|es|ed|ing) out))\b[ :]*(?:(?i:be|an?|the|options?|choices?|answers?) )*"
    rf"|不(?:是|选|能选)? ?){_KEYS}"
    rf"|(?:(?i:\b(?:options?|choices?|answers?)) )?(?<![A-Za-z0-9_']){_KEYS}"
    r"(?:(?i:(?: is| are| was| were| seems?| can| could| would| does| do)(?: \w+)?"
    r"(?:n't| not| wrong| incorrect| false| excluded| impossible| unlikely))\b|不对|错)"
)
"""One or more letters that a text rules out, as in "not B" or "A and C are wrong"."""
_DENIED = re.compile(
    r"(?:\b(?:no|not|never|neither|nor|without|cannot)\b|n't\b)"
    r".*?(?=\bbut\b|\band (?:is|it|the|they)\b|[.,;:!?\n]|$)",
    re.IGNORECASE | re.MULTILINE,
)
"""What a clause denies, from its negation on."""


def read_option(text: str, options: Sequence[tuple[str, str]]) -> str | None:
    """Return the key of the option that a text chooses, None if it chooses none.

    A text that repeats one option word by word chooses it. Otherwise a letter is searched for at
    the start, after "option" or "choice", in brackets, or as a single capital. It counts only if
    exactly one known letter is found in this way; letters that the text rules out ("not B") do not
    count. A letter at the start does not count if the text repeats the list of options, or several
    of them line by line. Without a letter, an option is chosen if the text states its set of
    labels, its number or its words, and does not deny them.

    Args:
        text: a tidy text, with its upper and lower case kept.
        options: (key, text) of each option; keys are capital letters.
    """
    words, keys = words_of(text), {key for key, _ in options}
    whole = _only([key for key, option in options if words and words_of(option) == words])
    if whole:
        return whole
    read = _REFUSED.sub(" ", text)
    listed = len(_known(_LISTED, read, keys)) > 1
    repeats = listed or (len(keys) > 1 and keys == _known(_BRACKETED, read, keys))
    return _option_by_letter(read, keys, repeats) or (
        None if listed else _option_by_text(text, options))  # fmt: skip


def _known(pattern: re.Pattern[str], text: str, keys: Set[str]) -> set[str]:
    return {letter.upper() for letter in pattern.findall(text)} & keys


def _option_by_letter(text: str, keys: Set[str], repeats: bool) -> str | None:
    leading = _LEADING.match(text)
    if leading and leading[1].upper() in keys and not repeats:
        several = _SEVERAL.match(text)
        return None if several and several[1] in keys else leading[1].upper()
    found = (_known(pattern, text, keys) for pattern in (_NAMED, _BRACKETED, _CAPITAL))
    return next((letters.pop() for letters in found if len(letters) == 1), None)


def _option_by_text(text: str, options: Sequence[tuple[str, str]]) -> str | None:
    """Return the only option whose labels, number or words a text states and does not deny."""
    kept = _DENIED.sub(" ", text)
    sets = [(key, frozenset(labels(option, "instruments"))) for key, option in options]
    if all(names for _, names in sets) and len({names for _, names in sets}) == len(sets) > 0:
        said = frozenset(labels(kept, "instruments"))
        return _only([key for key, names in sets if names == said])
    if options and all(option.strip().isdecimal() for _, option in options):
        counts = set(read_counts(text))
        return _only([key for key, option in options if {float(option)} == counts])
    stated = []
    for key, option in options:
        heard = words_of(text if _DENIED.search(option) else kept)
        if _inside(mine := words_of(option), heard):
            stated.append((key, mine))
    return _only([
        key for key, mine in stated
        if not any(mine != other and _inside(mine, other) for _, other in stated)
    ])  # fmt: skip


def _only(keys: list[str]) -> str | None:
    return keys[0] if len(keys) == 1 else None


def _inside(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    if not part:
        return False
    size = len(part)
    return any(whole[i : i + size] == part for i in range(len(whole) - size + 1))


# ---- yes and no, refusals, words ----------------------------------------------------

_YES_NO = re.compile(r"\b(yes|no)\b", re.IGNORECASE)
_DIFFERENT = re.compile(r"\b(different|not the same|distinct)\b", re.IGNORECASE)
_SAME = re.compile(r"\b(same|identical|both)\b", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\bnot (?:present|visible|shown|found|seen|detected|there|appear\w*|exist\w*|in (?:the|this))"
    r"|n't (?:present|visible|shown|found|seen|there|appear|exist|in (?:the|this))"
    r"|\bno (?:bounding )?box|\babsent\b|\bnever (?:appears|present|visible|seen|shown)"
    r"|\bcannot be (?:located|seen|found)|\bno such instrument|\bthere (?:is|are) no\b",
    re.IGNORECASE,
)
_INACTIVE = re.compile(
    r"\bno (?:specific |particular |clear |visible )?(?:action|interaction|activity)\b"
    r"|\b(?:not|isn't|without) (?:actively |currently )?"
    r"(?:performing|doing|acting|active|engaged|interacting|executing)",
    re.IGNORECASE,
)
_NOBODY = re.compile(r"\b(?:none|nothing|no (?:instruments?|tools?|targets?|one))\b", re.IGNORECASE)


def read_yes_no(text: str) -> bool | None:
    """Return True for "yes" or "same", False for "no" or "different".

    The words yes and no are searched for first.
    """
    word = _YES_NO.search(text)
    if word:
        return word[1].lower() == "yes"
    if _DIFFERENT.search(text):
        return False
    return True if _SAME.search(text) else None


def is_refusal(text: str) -> bool:
    """Return whether a text states that the object in question is absent."""
    return _REFUSAL.search(text) is not None


def says_none(text: str) -> bool:
    """Return whether a text states that there is nothing, as in "no instruments"."""
    return _NOBODY.search(text) is not None


_LEFT_RIGHT = re.compile(r"\b(left|right)", re.IGNORECASE)
_CENTRE = re.compile(r"\b(?:cent(?:re|er|ral)|middle|mid)\b", re.IGNORECASE)
_UPPER = re.compile(r"\b(above|top|upper|higher)\b|\b(below|bottom|lower|beneath|under)", re.I)


def read_left_right(text: str) -> str | None:
    """Return ``left`` or ``right``, whichever occurs first."""
    found = _LEFT_RIGHT.search(text)
    return found[1].lower() if found else None


def read_above_below(text: str) -> str | None:
    """Return ``above`` (top, upper, higher) or ``below`` (bottom, lower, beneath, under)."""
    found = _UPPER.search(text)
    if not found:
        return None
    return "above" if found[1] else "below"


def read_region(text: str) -> tuple[str | None, str | None] | None:
    """Return (column, row) of a region, such as ("left", "top"); None if neither is stated.

    A word for the centre stands for the axis that has no other word: "center left" is (left,
    middle).
    """
    horizontal = read_left_right(text)
    vertical = {"above": "top", "below": "bottom", None: None}[read_above_below(text)]
    if _CENTRE.search(text):
        horizontal, vertical = horizontal or "centre", vertical or "middle"
    return (horizontal, vertical) if horizontal or vertical else None


_CHANGES = (
    ("maintained", re.compile(r"\b(maintain\w*|same|constant|unchanged|stable|no change)\b", re.I)),
    ("closer", re.compile(r"\b(closer|nearer|approach\w*|converg\w*|decreas\w*)\b", re.I)),
    ("farther", re.compile(r"\b(farther|further|apart|away|diverg\w*|increas\w*)\b", re.I)),
)


def read_change(text: str) -> str | None:
    """Return ``closer``, ``farther`` or ``maintained``, whichever is stated first."""
    hits = [(match.start(), name) for name, p in _CHANGES if (match := p.search(text))]
    return min(hits)[1] if hits else None


# ---- labels -------------------------------------------------------------------------

_INSTANCE = re.compile(r"\s?\(?(?:instance|inst\.?|#)\s?#?([0-9]{1,4})", re.IGNORECASE)


def read_instruments(text: str) -> list[tuple[Instrument, int]]:
    """Return all instruments in reading order, each with the index at which its name ends."""
    out = []
    for found in lexicon("instruments").find(text):
        suffix = _INSTANCE.match(text, found.end)
        instance = int(suffix[1]) if suffix else None
        out.append(((found.id, instance), suffix.end() if suffix else found.end))
    return out


def read_verb(text: str) -> str | None:
    """Return the first action as a verb id; ``null_verb`` for any wording of "idle"."""
    inactive = _INACTIVE.search(text)
    found = lexicon("verbs").find(text)
    if inactive and (not found or inactive.start() <= found[0].start):
        return "null_verb"
    return found[0].id if found else None


def read_targets(text: str) -> list[str]:
    """Return all targets in reading order, without the null target."""
    return [label for label in labels(text, "targets") if label != "null_target"]


_CLAUSE = re.compile(r"\b(?:after|once|when|following|having)\b[^,;.\n]{0,200}[,;]", re.IGNORECASE)


def read_pair(text: str) -> tuple[str, str] | None:
    """Return (verb, target) of the first action; ``null_target`` if the text names no target.

    A leading clause such as "after it stops grasping the liver," is ignored.
    """
    text = _CLAUSE.sub(" ", text)
    verb = read_verb(text)
    if verb is None:
        return None
    targets = read_targets(text)
    return (verb, targets[0]) if targets and verb != "null_verb" else (verb, "null_target")


# ---- boxes --------------------------------------------------------------------------

_KEY = r"(?:[\"']?[xy](?:[12]|min|max)?[\"']?\s?[:=]\s?)?"
_EDGE = rf"{_KEY}([-+]?{NUMBER})"
_BOX = re.compile(
    rf"[\[(<{{]\s?{_EDGE}[\s,;]++{_EDGE}[\s,;\])(\[<>]++{_EDGE}[\s,;]++{_EDGE}\s?[\])>}}]",
    re.IGNORECASE,
)
_BARE = re.compile(rf"(?<![\w.]){_EDGE}, ?{_EDGE}, ?{_EDGE}, ?{_EDGE}(?![\w.])", re.IGNORECASE)


def read_boxes(text: str) -> list[Box]:
    """Return all boxes in reading order, with ordered corners, clipped to the frame.

    A box is four numbers in ``[]``, ``()``, ``<>`` or ``{}``, which may be split into two points.
    If all four are at most 1, they are fractions of the frame, otherwise thousandths.
    """
    return [box for match in _BOX.finditer(text) if (box := _box(match.groups())) is not None]


def read_box(text: str) -> Box | None:
    """Return the first box; without brackets, four numbers with commas also count as a box."""
    boxes = read_boxes(text)
    if boxes:
        return boxes[0]
    bare = _BARE.search(text)
    return _box(bare.groups()) if bare else None


def without_boxes(text: str) -> str:
    """Return the text with a blank in place of each box, so that other numbers can be read."""
    return _BOX.sub(" ", text)


def _box(edges: Sequence[str]) -> Box | None:
    values = [float(edge) for edge in edges]
    scale = 1.0 if max(map(abs, values)) <= 1 else GRID
    x1, y1, x2, y2 = (min(max(value / scale, 0.0), 1.0) for value in values)
    return (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))


# ---- times and numbers --------------------------------------------------------------

_SECONDS = r"\s?(?:s|secs?|seconds?|秒)(?![A-Za-z0-9_/])"
_MINUTES = r"\s?(?:mins?|minutes?|分钟?)"
_CLOCK = re.compile(
    rf"(?<![\w.:])(?:([0-9]{{1,3}}):)?([0-9]{{1,4}}):([0-5][0-9](?:\.[0-9]*+)?)(?![\w:])"
    rf"|(?<![\w.])()({NUMBER}){_MINUTES}(?:(?: and)? ?({NUMBER}){_SECONDS}|(?![A-Za-z0-9_]))",
    re.IGNORECASE,
)
_MILLISECONDS = re.compile(rf"(?<![\w.])({NUMBER})\s?(?:ms|milliseconds?)\b", re.IGNORECASE)
_TIME = re.compile(
    rf"(?<![\w.])({NUMBER}|[0-9]+,[0-9]{{1,2}}){_SECONDS}|\bt(?:ime)?\s?[=:]\s?({NUMBER})",
    re.IGNORECASE,
)
_WINDOW = re.compile(
    rf"(?<![\w.])({NUMBER})(?:{_SECONDS})?\s?(?:-+>?|,?\s?[\"']?end[\"']?\s?[:=]?|[,~到至]|to|until|through|and)\s?"
    rf"({NUMBER})(?![0-9.])",
    re.IGNORECASE,
)
_FRAME = re.compile(r"\bframes?\b", re.IGNORECASE)
_PLAIN = re.compile(rf"(?<![\w.])([-+](?=[0-9.]))?({NUMBER})(?!\w)")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def _in_seconds(text: str) -> str:
    """Return the text without boxes, with clock times, minutes and milliseconds in seconds."""

    def seconds(found: re.Match[str]) -> str:
        hours, minutes, rest, _, whole, more = found.groups()
        value = 3600 * float(hours or 0) + 60 * float(minutes or whole) + float(rest or more or 0)
        return f"{value!r} s"

    text = _CLOCK.sub(seconds, without_boxes(text))
    return _MILLISECONDS.sub(lambda found: f"{float(found[1]) / 1000!r} s", text)


def read_times(text: str) -> list[float]:
    """Return all times in seconds.

    Times are numbers with a unit (also ``1 min 5 s`` and ``500 ms``), ``t=3.00``, ``m:ss`` and
    ``h:mm:ss``.
    """
    values = (number((seconds or equals).replace(",", "."))
              for seconds, equals in _TIME.findall(_in_seconds(text)))  # fmt: skip
    return [value for value in values if value is not None]


def read_time(text: str) -> float | None:
    """Return the first time in seconds; a single number without a unit also counts.

    The number of a frame is not a time.
    """
    times = read_times(text)
    if times:
        return times[0]
    bare = read_numbers(text)
    return abs(bare[0]) if len(bare) == 1 and not _FRAME.search(text) else None


def read_window(text: str) -> tuple[float, float] | None:
    """Return (start, end) in seconds of the first interval ``a - b``, or else the first two times.

    Between them may be a dash, an arrow, a comma, "to", "until", "through" or "and". The smaller is
    returned first.
    """
    match = _WINDOW.search(_in_seconds(text))
    ends = (number(match[1]), number(match[2])) if match else ()
    known = [end for end in ends or read_times(text)[:2] if end is not None]
    return (min(known), max(known)) if len(known) == 2 else None


def read_numbers(text: str) -> list[float]:
    """Return all numbers outside boxes in reading order, with their signs."""
    values = [
        (sign, number(digits)) for sign, digits in _PLAIN.findall(without_boxes(text))
    ]  # fmt: skip
    return [-v if sign == "-" else v for sign, v in values if v is not None]


def without_times(text: str) -> str:
    """Return the text with a blank in place of each box and each time."""
    return _TIME.sub(" ", _in_seconds(text))


def read_counts(text: str) -> list[float]:
    """Return the numbers without a unit of time; if there are none, the values of number words."""
    untimed = without_times(text)
    words = (word for word in words_of(untimed) if word in _WORDS)
    return read_numbers(untimed) or [float(_WORDS.index(word)) for word in words]

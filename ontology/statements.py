"""What a chain's texts may say: knowledge has no time and no place, a clue has both.

Knowledge is true without the video: no time, no box, no picture's number, no name of a video, no
letter of an option, and no word about "this video".  A clue is evidence of one video: a time at
least, and the box where the evidence has one.
"""

from __future__ import annotations

import re

_COUNT = (
    r"(?:\d[\d.,]*[\s-]?|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen"
    r"|twenty|thirty|forty|fifty|sixty|hundred|an?|few|several|some|many)[\s-])"
)
_UNIT = (
    r"(?:us|µs|ms|s|secs?|seconds?|milliseconds?|microseconds?|m|mins?|minutes?|h|hrs?|hours?|days?"
    r"|weeks?|months?|years?)"
)
_NUMBER = r"[-+]?\d+(?:\.\d+)?"

TIME = re.compile(
    r"\b\d+(?:\.\d+)?\s?(?:s|sec|ms|min|seconds?|minutes?)\b|\b\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?\b"
)
"""An instant or a length as clues tell it: ``21.57 s``, ``2 min``, ``01:23``."""

BOX = re.compile(rf"[\[(]\s*{_NUMBER}(?:\s*,\s*{_NUMBER}){{3}}\s*[\])]")
"""Four numbers in brackets: ``[540, 420, 620, 480]``."""

_FORBIDDEN = (
    ("a time", re.compile(rf"\b{_COUNT}{_UNIT}\b|\b\d{{1,2}}:\d{{2}}\b", re.IGNORECASE)),
    ("a box or a point", re.compile(
        rf"{_NUMBER}\s*,\s*{_NUMBER}|\b[xywh][12]?\s*=", re.IGNORECASE)),
    ("the number of a frame", re.compile(
        r"\b(?:frame|picture|image|still)s?\s*(?:no\.?|number|id|#)?\s*\d|#\s*\d", re.IGNORECASE)),
    ("the name of a video", re.compile(
        r"\b(?:video|recording|case|patient|film)s?\s*(?:no\.?|number|id|#)?\s*\d"
        r"|\b(?:vid|video|case|psiv|esadv)[_-]?\d|\b[\w-]+\.(?:mp4|avi|mov|mkv)\b", re.IGNORECASE)),
    ("one video", re.compile(
        r"\b(?:this|the given|the present)\s+(?:video|recording|clip|film|frame|picture|case|window"
        r"|segment|patient)\b", re.IGNORECASE)),
)  # fmt: skip
_OPTION = re.compile(
    r"\b(?:[Oo]ptions?|[Aa]nswers?|[Cc]hoices?)(?:\s+is)?\s+\(?[A-D]\b|\([A-D]\)|(?:^|\s)[A-D][).:]"
)


def lint_knowledge(text: str, *, video_id: str = "") -> list[str]:
    """What is wrong with a statement, in words; empty if nothing.

    Args:
        video_id: must not stand in the text either; '' if none is known.
    """
    found = _sentence(text)
    for name, pattern in _FORBIDDEN:
        if match := pattern.search(text):
            found.append(f"knowledge holds {name}: {match[0].strip()!r}")
    if video_id and video_id.casefold() in text.casefold():
        found.append(f"knowledge holds the name of a video: {video_id!r}")
    if match := _OPTION.search(text):
        found.append(f"knowledge names an option: {match[0].strip()!r}")
    return found


def lint_clue(text: str, has_box: bool, *, knowledge: str = "") -> list[str]:
    """What is wrong with a clue, in words; empty if nothing.

    Args:
        has_box: whether the evidence has a box, which the clue must then tell.
        knowledge: the statement of the same question; no sentence may stand in both.
    """
    if not text.strip():
        return ["clue is empty"]
    found = []
    if not TIME.search(text):
        found.append("clue tells no time")
    if has_box and not BOX.search(text):
        found.append("clue tells no box, and the evidence has one")
    if match := _OPTION.search(text):
        found.append(f"clue names an option: {match[0].strip()!r}")
    if shared := sorted(_sentences(text) & _sentences(knowledge)):
        found.append(f"clue and knowledge share a sentence: {shared[0]!r}")
    return found


def _sentence(text: str) -> list[str]:
    """What every statement must be: a sentence."""
    if not text.strip():
        return ["knowledge is empty"]
    found = []
    if text != " ".join(text.split()):
        found.append("knowledge has stray spaces")
    if not text.endswith("."):
        found.append("knowledge does not end with a full stop")
    if text[0] != text[0].upper():
        found.append("knowledge begins with a small letter")
    return found


def _sentences(text: str) -> set[str]:
    """The sentences of a text, folded; a point between digits ends none."""
    return {part.strip().casefold() for part in re.split(r"(?<=[.!?])\s+", text) if part.strip()}

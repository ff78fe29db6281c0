"""Check statements of the knowledge bank: they are general, so they have no time and no place."""

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
    """Problems with a knowledge statement, as sentences; empty if there are none.

    Args:
        video_id: must not occur in the text; '' if unknown.
    """
    found = _sentence(text)
    for name, pattern in _FORBIDDEN:
        if match := pattern.search(text):
            found.append(f"knowledge contains {name}: {match[0].strip()!r}")
    if video_id and video_id.casefold() in text.casefold():
        found.append(f"knowledge contains the name of a video: {video_id!r}")
    if match := _OPTION.search(text):
        found.append(f"knowledge names an option: {match[0].strip()!r}")
    return found


def _sentence(text: str) -> list[str]:
    """Problems with the form of a statement; it must be a sentence."""
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

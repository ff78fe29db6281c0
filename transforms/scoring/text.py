"""Normalise a model's raw text (spaces, dashes, markdown) and find the part with the answer.

All functions accept any string and raise no errors.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from math import isfinite

NUMBER = r"(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)"
"""Pattern of an unsigned decimal number; possessive quantifiers make matching fast."""

_DASHES = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
    | dict.fromkeys("\u2192\u21d2", "->")
    | dict.fromkeys("\u2018\u2019", "'")
    | dict.fromkeys("\u201c\u201d", '"')
)
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r" ?\n[\s]*")
_MARKDOWN = str.maketrans("", "", "*`")

_THOUGHT_ENDS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_TAG_OPENS = re.compile(r"<answer>|\\boxed\{", re.IGNORECASE)
_TAG_CLOSES = re.compile(r"</answer>|\}\s*\$?\s*$", re.IGNORECASE)
_MARK = re.compile(r"\banswer(?: is)?\s?[:=]\s?|\banswer is\s", re.IGNORECASE)


def tidy(text: str) -> str:
    """Return the text with plain dashes, arrows and quotes, single spaces and no ``*`` or backtick.

    Upper and lower case are kept: a lone ``A`` is an option, a lone ``a`` is an article.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_DASHES)
    text = _BLANKS.sub(" ", text.translate(_MARKDOWN))
    return _LINES.sub("\n", text).strip()


def answer_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a tidy text that may be the answer, the most likely one first.

    If there is a closing ``</think>``, only the text after it counts.  The text inside
    ``<answer>`` or ``\\boxed{}``, or after the last "answer:" or "answer is", comes first.
    """
    whole = text[_last_end(_THOUGHT_ENDS, text) :].strip() or text
    opened = _last_end(_TAG_OPENS, whole)
    if opened:
        inside = whole[opened:]
        closed = _TAG_CLOSES.search(inside)
        part = inside[: closed.start()] if closed else inside
    else:
        part = whole[_last_end(_MARK, whole) :]
    part = part.strip()
    return (part, whole) if part and part != whole else (whole,)


def _last_end(pattern: re.Pattern[str], text: str) -> int:
    return max((match.end() for match in pattern.finditer(text)), default=0)


def number(text: str) -> float | None:
    """Return the value of digits matched by :data:`NUMBER`, None if it is not a finite float."""
    value = float(text)
    return value if isfinite(value) else None


def cut_at(text: str, starts: Sequence[int]) -> list[str]:
    """Return the pieces of a text that start at these ascending indices."""
    return [text[start:end] for start, end in pairwise((*starts, len(text)))]

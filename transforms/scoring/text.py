"""A model's raw text made regular: spaces, dashes, markdown, and where the answer stands.

Everything here accepts any string and raises nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from math import isfinite

NUMBER = r"(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)"
"""An unsigned decimal number; possessive, so that no text makes the search quadratic."""

_DASHES = str.maketrans(
    {
        "\u2010": "-",
        "\u2011": "-",
        "\u2012": "-",
        "\u2013": "-",
        "\u2014": "-",
        "\u2212": "-",
        "\u2192": "->",
        "\u21d2": "->",
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
    }
)
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r" ?\n[\s]*")
_MARKDOWN = str.maketrans("", "", "*`")

_THOUGHT_ENDS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_TAG_OPENS = re.compile(r"<answer>|\\boxed\{", re.IGNORECASE)
_TAG_CLOSES = re.compile(r"</answer>|\}\s*\$?\s*$", re.IGNORECASE)
_MARK = re.compile(r"\banswer(?: is)?\s?[:=]\s?|\banswer is\s", re.IGNORECASE)


def tidy(text: str) -> str:
    """The text with plain dashes, arrows and quotes, single blanks and no markdown stars.

    Letter case is kept: a lone capital ``A`` is an option, a lone ``a`` an article.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_DASHES)
    text = _BLANKS.sub(" ", text.translate(_MARKDOWN))
    return _LINES.sub("\n", text).strip()


def answer_parts(text: str) -> tuple[str, ...]:
    """Parts of a tidy text that may hold the answer, the most explicit first.

    What follows a closing ``</think>`` replaces the whole; what stands inside ``<answer>``
    or ``\\boxed{}`` or after the last "answer:" or "answer is" is tried before the rest.
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
    end = 0
    for match in pattern.finditer(text):
        end = match.end()
    return end


def number(text: str) -> float | None:
    """The value of digits matched by :data:`NUMBER`, None where it has no finite double."""
    value = float(text)
    return value if isfinite(value) else None


def cut_at(text: str, starts: Sequence[int]) -> list[str]:
    """The pieces of a text that begin at the ascending offsets; what stands before is left."""
    return [text[start:end] for start, end in pairwise((*starts, len(text)))]

"""A model's output made comparable: what of a response counts, and in which spelling.

Everything here accepts any string and raises nothing.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from functools import lru_cache

from transforms.scoring.text import tidy

UNANSWERABLE, NO_ALERT, UNCERTAIN = "unanswerable", "no alert", "uncertain"
"""The protocols' tokens as :func:`normalised` leaves them."""

_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_THINKING = re.compile(r"\A\s*<think(?:ing)?>", re.IGNORECASE)
_TAGGED = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.IGNORECASE | re.DOTALL)
_BOXED = re.compile(r"\\boxed\{([^{}]*)\}")
_LEAD = re.compile(r"(?:the )?(?:final )?answer(?: is)?\s?:\s?|the (?:final )?answer is\s", re.I)

_SPACES = re.compile(r"[\s_\-\u2010-\u2015\u2212]+")
_OUTER = " \"'“”‘’«»"
_END = ".,;:!?"
_MARK = re.compile(r"(?:\(?[a-z]\)|[a-z][.:](?=\s))\s*(?=\S)")
_LETTER = re.compile(
    r"[\s\"']*(?:option |choice )?[(\[]?([a-z])[)\].:]?[\s.\"']*", re.IGNORECASE
)  # fmt: skip
_WORD = re.compile(r"[^\W_]+")
_ALERT = re.compile(r"alert\s?(?::(.*))?", re.IGNORECASE | re.DOTALL)

_NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,9})?")
_NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip


@lru_cache(maxsize=8192)
def output_of(response: str) -> str:
    """The part of a response that is the output; empty where there is none.

    Thoughts up to a closing ``</think>`` are left out, and a thought that never closes is
    no output.  Then counts what stands in ``<answer>`` or ``\\boxed{}``, else what follows
    "answer:" at the start of the last line, else all.
    """
    text = tidy(response)
    thoughts = list(_THOUGHT.finditer(text))
    if thoughts:
        text = text[thoughts[-1].end() :]
    elif _THINKING.match(text):
        return ""
    marked = _TAGGED.findall(text) or _BOXED.findall(text)
    if marked:
        return str(marked[-1]).strip()
    lines = text.strip().split("\n")
    lead = _LEAD.match(lines[-1])
    if lead and lines[-1][lead.end() :].strip():
        return lines[-1][lead.end() :].strip()
    return text.strip()


@lru_cache(maxsize=8192)
def normalised(text: str) -> str:
    """The text in the one spelling that is compared.

    Unicode NFKC, case folded; underscores, hyphens and spaces in a row become one space;
    outer quotes, end punctuation and a leading option mark (``A.``, ``(b)``, ``c)``) go,
    unless nothing would be left.
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    text = _SPACES.sub(" ", unicodedata.normalize("NFKC", text))
    while True:
        stripped = text.strip(_OUTER).rstrip(_END + _OUTER)
        stripped = _MARK.sub("", stripped, count=1) if _MARK.match(stripped) else stripped
        if stripped == text:
            return text
        text = stripped


def letter_of(output: str) -> str | None:
    """The capital that an output consists of (``b``, ``(B)``, ``option B.``), else None."""
    found = _LETTER.fullmatch(output)
    return found[1].upper() if found else None


def alert_of(output: str) -> str | None:
    """The reason of an alert, empty where it gives none; None for what is no alert.

    An alert is the word ``alert`` alone, or with a colon and a reason behind it.
    """
    found = _ALERT.fullmatch(output.strip(_OUTER).rstrip(_END[:2] + _OUTER))
    return normalised(found[1] or "") if found else None


def number_of(text: str) -> Decimal | None:
    """The number that a normalised text is, in digits or as a word up to twelve."""
    if text in _NUMBER_WORDS:
        return Decimal(_NUMBER_WORDS.index(text))
    return Decimal(text) if _NUMBER.fullmatch(text) else None


@lru_cache(maxsize=8192)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in the spelling that is compared."""
    return tuple(_WORD.findall(normalised(text)))

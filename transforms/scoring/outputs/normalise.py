"""Normalise a model's output: find the part that counts, and spell it uniformly.

Every function accepts any string and raises nothing.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from functools import lru_cache

from transforms.scoring.text import tidy

UNANSWERABLE, NO_ALERT, UNCERTAIN = "unanswerable", "no alert", "uncertain"
"""The protocols' tokens, in the spelling that :func:`normalised` returns."""

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
    """Return the part of a response that is the output, '' if there is none.

    Text up to a closing ``</think>`` is dropped; a ``<think>`` that never closes leaves no output.
    The text in ``<answer>`` or ``\\boxed{}`` is taken, else the text after "answer:" at the start
    of the last line, else the whole text.
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
    """Return the text in the uniform spelling by which texts are compared.

    The text is put in Unicode NFKC and case-folded.  Runs of underscores, hyphens and spaces
    become one space.  Outer quotes, end punctuation and a leading option mark (``A.``, ``(b)``,
    ``c)``) are removed; a mark is kept if no text follows it.
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
    """Return the capital if an output is only a letter (``b``, ``(B)``, ``option B.``)."""
    found = _LETTER.fullmatch(output)
    return found[1].upper() if found else None


def alert_of(output: str) -> str | None:
    """Return the reason of an alert, '' if it states none; None if the output is not an alert.

    An alert is the word ``alert``, alone or followed by a colon and a reason.
    """
    found = _ALERT.fullmatch(output.strip(_OUTER).rstrip(_END[:2] + _OUTER))
    return normalised(found[1] or "") if found else None


def number_of(text: str) -> Decimal | None:
    """Return the number that a normalised text is, as digits or a word up to twelve."""
    if text in _NUMBER_WORDS:
        return Decimal(_NUMBER_WORDS.index(text))
    return Decimal(text) if _NUMBER.fullmatch(text) else None


@lru_cache(maxsize=8192)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in the uniform spelling."""
    return tuple(_WORD.findall(normalised(text)))

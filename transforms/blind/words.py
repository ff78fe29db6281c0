"""Split texts into words, numbers and intervals."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from sys import intern

NUMBER = re.compile(r"\d+(?:\.\d+)?")
WORD = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+")
INTERVAL = re.compile(
    r"(\d+(?:\.\d+)?)(?: s| seconds)?,? (?:to|and|until|-|–) (\d+(?:\.\d+)?)"  # noqa: RUF001
)
COUNTS = {"no": 0, "none": 0, "never": 0, "zero": 0, "once": 1, "one": 1, "twice": 2, "two": 2,
          "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}  # fmt: skip
"""Number words, used for texts without digits."""
FUNCTION = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by does for from has have in into is it its not of off on or out so "
        "than that the their them then there this to was what when where which while who with",
    )
)
"""Words without content of their own, which are ignored when a text and an option are compared."""


@dataclass(frozen=True, slots=True)
class Text:
    """The words, numbers and intervals of a text.

    Attributes:
        words: the words, in lower case, in order, without numbers.
        numbers: the numbers in order; in a text without digits, the value of the first number word
            (three: 3).
        endings: decimals of the first number as printed ("50" of 3.50), or "".
        skeleton: see :func:`skeleton`.
        intervals: (start, end) of phrases such as "from 3.00 s to 5.00 s".
    """

    words: tuple[str, ...]
    numbers: tuple[float, ...]
    endings: str
    skeleton: str
    intervals: tuple[tuple[float, float], ...]


def skeleton(text: str) -> str:
    """Return a text in lower case with each number replaced by #."""
    return NUMBER.sub("#", text.casefold())


@lru_cache(maxsize=1 << 15)
def read(text: str) -> Text:
    """Return the words, numbers and intervals of a text."""
    low = text.casefold()
    found = WORD.findall(low)
    digits = [one for one in found if one[0].isdigit()]
    words = tuple(intern(one) for one in found if not one[0].isdigit())  # interned to save memory
    numbers = tuple(map(float, digits)) or tuple(COUNTS[one] for one in words if one in COUNTS)[:1]
    return Text(
        words=_kept(words),
        numbers=numbers,
        endings=digits[0].partition(".")[2] if digits else "",
        skeleton=intern(skeleton(low) if digits else low),
        intervals=tuple((float(a), float(b)) for a, b in INTERVAL.findall(low)) if digits else (),
    )


@lru_cache(maxsize=1 << 12)
def _kept(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return one tuple that all texts with the same words share."""
    return words

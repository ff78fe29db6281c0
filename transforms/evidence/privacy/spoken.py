"""Numbers as they are read out: digit by digit, in pairs, in words, in figures, or mixed."""

from __future__ import annotations

import re
from functools import cache

from surgqa.transforms.evidence.privacy.words import any_of, lists

ONES = "one|two|three|four|five|six|seven|eight|nine"
TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
HAN = "[〇○零一二三四五六七八九幺两]"
_VALUES = {name: n for n, name in enumerate(ONES.split("|"), start=1)}


@cache
def single() -> str:
    """Pattern of one digit, as a word or a figure, possibly doubled or tripled (double five)."""
    digit = rf"(?:{any_of(lists()['digits'])}|\d)"
    return rf"(?:(?:double|triple|treble)\s+{digit}|{digit})(?![\w'’])"


@cache
def piece() -> str:
    """Pattern of a piece of a number: digits, a pair in words, figures, letters with figures."""
    pair = rf"(?:(?:{TENS})(?:[\s-]+(?:{ONES}))?|{TEENS})"
    hundred = rf"(?:(?:{ONES})\s+(?:hundred|thousand)(?:\s+and)?)"
    figures = r"[A-Z]{0,3}-?\d(?!\d?(?:st|nd|rd|th)\b)[\w./-]*\w|\d+"
    return rf"(?:{hundred}|{single()}|{pair}|{figures})(?![\w'’])"


@cache
def separator() -> str:
    """Pattern of the text between two pieces of a number, such as a comma, "and" or a line break.

    A line break does not count if a number of things or a measure follows ("3 clips").
    """
    counted = rf"{piece()}\s+{any_of([*lists()['counted'], *lists()['units']])}\b"
    return rf"(?:[^\S\n]|\n(?!{counted})|[,.;:/–-]|\band\b)+"


@cache
def run(least: int) -> str:
    """Pattern of at least ``least`` pieces of a number; each piece can match in one way only.

    Otherwise the time to find that nothing matches would double with every piece.
    """
    return rf"(?>{piece()})(?>{separator()}{piece()}){{{least - 1},}}"


@cache
def loose_run() -> str:
    """Pattern of a number with misheard words between its pieces ("2 m and 7 1")."""
    return rf"(?>{piece()})(?>{separator()}(?:[a-z]{{1,4}}\s+){{0,2}}?{piece()})*"


def digits_in(text: str) -> int:
    """Number of digits in a number as read out; each word for tens or ones counts as one digit."""
    return len(re.findall(rf"\d|\b(?:zero|oh|o|nought|nil|{ONES}|{TEENS}|{TENS})\b", text.lower()))


def is_thousands(text: str) -> bool:
    """Whether the text is one number with a comma before each group of three digits."""
    return re.fullmatch(r"\d{1,3}(?:,\d{3})+", text.strip()) is not None


def counts_up(text: str) -> bool:
    """Whether the digits count up or down one by one; no identifier does that."""
    found = re.findall(rf"\d|{ONES}", text.lower())
    values = [_VALUES.get(one) or int(one) if one.isdigit() else _VALUES[one] for one in found]
    steps = {b - a for a, b in zip(values, values[1:], strict=False)}
    return steps in ({1}, {-1})

"""Read the values of one sort that a text states, in reading order; raise no errors.

A *sort* is the form of a value in a text: times and durations both have the sort "time". Texts are
tidy. Times are in seconds; boxes and points are fractions of the frame.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from surgqa.ontology.boxes import GRID
from surgqa.ontology.names import words_of
from surgqa.transforms.scoring import parse
from surgqa.transforms.scoring.lexicon import LabelInText, lexicon
from surgqa.transforms.scoring.passages import read_sequence
from surgqa.transforms.scoring.text import NUMBER, number

NULLS = ("null_verb", "null_target", "null_instrument")
"""Concepts that mean "absent"; a row may have null instead."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as printed.

    Attributes:
        half: half a unit of the number's last digit.
        percent: whether it is a percentage; its value is then the share in [0, 1].
    """

    value: float
    half: float
    percent: bool = False


_DIGITS = re.compile(rf"(?<![\w.])([-+](?=[0-9.]))?({NUMBER})(\s?(?:%|percent\b))?(?![\w])", re.I)
_COUNT_WORDS = {
    "zero": 0, "once": 1, "one": 1, "twice": 2, "two": 2, "three": 3, "four": 4,
    "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
_POINT = re.compile(rf"[(\[]\s?({NUMBER})\s?[,;]\s?({NUMBER})\s?[)\]]")
_SIDE = re.compile(
    r"\b(left|right|top|bottom|upper|lower|above|below|middle|centre|center)\b", re.I
)


@lru_cache(maxsize=8192)
def tokens(sort: str, text: str, known: tuple[str, ...] = ()) -> tuple[Any, ...]:
    """Return the values of a sort that a text states.

    Args:
        sort: a key of :data:`READ`, ``word``, or ``label:`` with a domain of labels.
        known: labels or words that may occur although they are in no vocabulary.
    """
    name, _, domain = sort.partition(":")
    if name == "label":
        return _labels(text, domain, known)
    if name == "word":
        return tuple(found.id for found in lexicon("words", known).find(text))
    return tuple(READ[name](text))


def numbers(text: str) -> list[Number]:
    """Return the numbers outside of boxes and times; without digits, the values of number words."""
    bare = parse.without_times(text)
    out = []
    for sign, digits, percent in _DIGITS.findall(bare):
        value = number(digits)
        if value is not None:
            scale = 0.01 if percent else 1.0
            half = 0.5 * 10.0 ** -len(digits.partition(".")[2]) * scale
            out.append(
                Number(-value * scale if sign == "-" else value * scale, half, bool(percent))
            )
    counts = [_COUNT_WORDS[word] for word in words_of(bare) if word in _COUNT_WORDS]
    return out or [Number(float(count), 0.0) for count in counts]


def times(text: str) -> list[Number]:
    """Return all times in seconds; without units, a single number also counts."""
    found = parse.read_times(text)
    if found:
        return [Number(value, 0.005 if value % 1 else 0.5) for value in found]
    bare = parse.read_numbers(text)
    return [Number(abs(bare[0]), 0.5)] if len(bare) == 1 else []


def _points(text: str) -> list[tuple[float, float]]:
    out = []
    for match in _POINT.finditer(parse.without_boxes(text)):
        x, y = float(match[1]), float(match[2])
        scale = 1.0 if max(x, y) <= 1 else float(GRID)
        out.append((min(x / scale, 1.0), min(y / scale, 1.0)))
    return out


def _boxes(text: str) -> list[Any]:
    found = parse.read_boxes(text)
    bare = parse.read_box(text)
    return list(found) or ([bare] if bare is not None else [])


def _absences(text: str) -> list[bool]:
    if parse.read_box(text) is not None:
        return [False]
    return [True] if parse.is_refusal(text) else []


def _acts(text: str) -> list[tuple[str, str | None]]:
    return [(verb, None if target in NULLS else target)
            for verb, target in read_sequence(text) or ()]  # fmt: skip


READ: Mapping[str, Callable[[str], list[Any]]] = {
    "truth": lambda text: [] if (said := parse.read_yes_no(text)) is None else [said],
    "absent": _absences, "number": numbers, "time": times, "box": _boxes,
    "point": _points, "act": _acts, "none": lambda text: [True] if parse.says_none(text) else [],
    "text": lambda text: [words_of(text)] if words_of(text) else [],
}  # fmt: skip
"""Sort that needs no vocabulary -> function that reads its values from a text."""


def _labels(text: str, domain: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels of a vocabulary (such as ``instrument``; '' for any) in a text."""
    if domain == "verb":
        first = parse.read_verb(text)
        found = [one.id for one in lexicon("verbs", known).find(text)]
        lead = ["null_verb"] if first == "null_verb" and found[:1] != ["null_verb"] else []
        return tuple(lead + found)
    ids = tuple(one.id for one in _found(text, domain, known))
    return ids if ids or not parse.says_none(text) else (NULLS[1],)


def _found(text: str, domain: str, known: tuple[str, ...]) -> list[LabelInText]:
    kind = f"{domain}s" if domain and domain != "any" else "any"
    return lexicon(kind, known).find(text)


@lru_cache(maxsize=8192)
def tracks(text: str, known: tuple[str, ...] = ()) -> tuple[tuple[str, str], ...]:
    """Return the instruments, each with the side that the text states after its name, or ''."""
    found = _found(text, "instrument", known)
    out = []
    for k, one in enumerate(found):
        end = found[k + 1].start if k + 1 < len(found) else len(text)
        side = _SIDE.search(text[one.end : end].split(".")[0].split(":")[0][:40])
        out.append((one.id, side[1].lower() if side else ""))
    return tuple(out)

"""Convert metadata to one vocabulary: procedures, specialties, experience, lengths and rates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from surgqa.ontology.concepts import load_data
from surgqa.ontology.times import SECOND_US, round_half_up

_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{2}(?:\.\d+)?)")
_AMOUNT = re.compile(
    r"(\d+(?:\.\d+)?)\s*(us|ms|s|sec|secs|seconds?|m|min|mins|minutes?|h|hrs?|hours?)?"
)
_RATE = re.compile(r"(\d+(?:\.\d+)?|\d+/[1-9]\d*)\s*(?:fps|hz|frames?\s*(?:/|per)\s*s(?:econd)?)?")
_UNITS = {"us": 1, "ms": 1000, "s": SECOND_US, "m": 60 * SECOND_US, "h": 3600 * SECOND_US}
UNKNOWN = "unknown"
TERMS = {"procedure": "procedures", "specialty": "specialties", "surgeon_experience": "experience",
         "language": "languages"}  # fmt: skip
"""Field -> the part of the vocabulary with its values."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A change of one metadata field.

    Attributes:
        field: name of the field.
        before, after: values; ``after`` is None if the value is not in the vocabulary.
        flag: ``unknown`` if no entry of the vocabulary fits, otherwise None.
    """

    field: str
    before: Any
    after: Any
    flag: str | None = None


def harmonise(metadata: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[FieldChange, ...]]:
    """Metadata with names and values of ``ontology/vocab/metadata.yaml``, and every change.

    Field names are mapped first ("operation" is ``procedure``).  A value that the vocabulary
    lacks becomes None and is flagged in the changes; it is never guessed.  A missing specialty
    is derived from the procedure.  Fields without a rule stay unchanged.

    Returns:
        The fields sorted by name, and the changes in the same order.
    """
    result: dict[str, Any] = {}
    changes: list[FieldChange] = []
    for given in sorted(metadata):
        field = _fields().get(_plain(given), given)
        if field in result and given != field:
            continue
        before = metadata[given]
        after = before if before in (None, "") else _value(field, before)
        result[field] = after
        if after != before or field != given:
            lost = after is None and before not in (None, "")
            changes.append(FieldChange(field, before, after, UNKNOWN if lost else None))
    procedure = load_data("vocab", "metadata")["procedures"].get(result.get("procedure"))
    if procedure and not result.get("specialty"):
        changes.append(FieldChange("specialty", result.get("specialty"), procedure["specialty"]))
        result["specialty"] = procedure["specialty"]
    return dict(sorted(result.items())), tuple(sorted(changes, key=lambda change: change.field))


def _value(field: str, value: Any) -> Any:
    """Return the value in the vocabulary; None if the vocabulary does not have it."""
    if field in TERMS:
        return _terms(TERMS[field]).get(_plain(value))
    rule = {"duration_us": _duration, "fps": _rate}.get(field)
    return rule(value) if rule else value


def _duration(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if clock := _CLOCK.fullmatch(text):
        hours, minutes, seconds = clock.groups()
        total = int(hours or 0) * 3600 + int(minutes) * 60 + Fraction(seconds)
        return round_half_up(total * SECOND_US)
    if amount := _AMOUNT.fullmatch(text):
        unit = amount[2] or "s"
        short = unit if unit in _UNITS else unit[0]
        return round_half_up(Fraction(amount[1]) * _UNITS[short])
    return None


def _rate(value: Any) -> list[int] | None:
    """Numerator and denominator; 29.97 and similar numbers become the exact NTSC rates."""
    if isinstance(value, (list, tuple)) and len(value) == 2:
        return [int(value[0]), int(value[1])]
    match = _RATE.fullmatch(str(value).strip().lower())
    if match is None:
        return None
    rate = Fraction(match[1])
    near = Fraction(round(rate * Fraction(1001, 1000)) * 1000, 1001)
    if rate.denominator != 1 and abs(near - rate) < Fraction(1, 100):
        rate = near
    return [rate.numerator, rate.denominator] if rate > 0 else None


@cache
def _fields() -> Mapping[str, str]:
    fields = load_data("vocab", "metadata")["fields"]
    return {_plain(other): name for name, others in fields.items() for other in (name, *others)}


@cache
def _terms(kind: str) -> Mapping[str, str]:
    """Return spelling -> id, for all entries of a part of the vocabulary."""
    known = {}
    for key, entry in load_data("vocab", "metadata")[kind].items():
        for name in (key, entry["display"], *entry.get("synonyms", ())):
            known[_plain(name)] = key
    return known


def _plain(text: Any) -> str:
    """Lower-case words separated by one space, without punctuation."""
    return " ".join(re.sub(r"[^\w]+|_", " ", str(text).lower()).split())

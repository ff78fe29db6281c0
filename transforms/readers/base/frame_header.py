"""Read parts of a JSON label file: names of label ids, the frame rate, the numbers of a record."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.json_text import JsonText
from surgqa.ontology.published import Unfit
from surgqa.ontology.records import UNKNOWN, Code

FASTEST_FPS, SLOWEST_FPS = 1000, Fraction(1, 1000)
LARGEST, LARGEST_FLOAT = 2**31, sys.float_info.max
NUMBERS = frozenset((int, float))


def refuse_repeated(text: JsonText, exempt: Sequence[str]) -> None:
    """Raise an error if an object contains a key twice, outside of the ``exempt`` parts.

    Raises:
        SourceBroken: the error names the key.
    """
    for path, keys in sorted(text.repeated.items()):
        if not path or path.split(".")[0] not in exempt:
            key = sorted(keys)[0]
            place = f"{path}.{key}" if path else key
            raise broken(text, place, "every key once", f"{place} {len(keys[key])} times")


def part_of(text: JsonText, key: str, inside: str = "") -> dict[str, Any]:
    """Return the JSON object under a key of the file, or of its part ``inside``.

    Raises:
        SourceBroken: the key is missing, or its value is not an object.
    """
    data = part_of(text, inside) if inside else text.data
    place = f"{inside}.{key}" if inside else key
    if not isinstance(data.get(key), dict):
        keys = ", ".join(map(repr, list(data)[:8])) or "an empty object"
        found = f"{data[key]!r:.60}" if key in data else f"no {key} among {keys}"
        raise broken(text, place, f"an object {place}", found)
    return data[key]


def names_of(text: JsonText, kind: str) -> dict[int, str]:
    """Return the names by id of ``{"categories": {kind: {"0": "grasper", …}}}``.

    Raises:
        SourceBroken: an id or a name is invalid or repeated.
    """
    out: dict[int, str] = {}
    for key, label in part_of(text, kind, "categories").items():
        good_id = key.isascii() and key.isdigit() and len(key) < 6 and int(key) not in out
        if not good_id or type(label) is not str or label in out.values():
            place, found = f'categories.{kind}["{key[:20]}"]', f"{key!r:.20}: {label!r:.40}"
            raise broken(text, place, 'every id and every name once, as "0": "name"', found)
        out[int(key)] = label
    return out


def listed_names(text: JsonText, kind: str) -> dict[int, str]:
    """Return the names by id of ``{"categories": {kind: [{"id": 0, "name": "grasper"}, …]}}``.

    Raises:
        SourceBroken: there are none.
    """
    lists = text.data.get("categories")
    entries = lists.get(kind) if isinstance(lists, dict) else None
    plain = [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []
    names = {e["id"]: e["name"] for e in plain
             if type(e.get("id")) is int and isinstance(e.get("name"), str)}  # fmt: skip
    if not names:
        expected = f'"categories": {{"{kind}": [{{"id": 0, "name": …}}, …]}}'
        raise broken(text, "categories", expected, f"no {kind} with id and name")
    return names


def rate_of(text: JsonText) -> Fraction:
    """Return ``fps``, the exact rate of the frames.

    Raises:
        SourceBroken: ``fps`` is missing, or is not a rate.
    """
    fps: Any = text.data.get("fps")
    if type(fps) in (int, float) and SLOWEST_FPS <= fps <= FASTEST_FPS:
        return Fraction(repr(fps))  # the decimal as written: 29.97 is 2997/100
    raise broken(text, "fps", "fps, a number above 0 (1 in the release)", f"{fps!r:.40}")


def broken(text: JsonText, place: str, expected: str, found: str) -> SourceBroken:
    """Return the error for a part of a file that cannot be understood."""
    return SourceBroken(
        f"{text.name}: {place} is invalid", expected=expected, found=found,
        where=f"{text.name} {place}", fix="copy the file from the release again",
    )  # fmt: skip


def matrix(rows: Sequence[Any], width: int) -> np.ndarray:
    """Return N lists of ``width`` numbers as float64 (N, width); an invalid list becomes NaN."""
    with suppress(TypeError, ValueError, OverflowError):
        values = np.array(rows, dtype=np.float64).reshape(-1, width)
        plain = len(values) == len(rows) and NUMBERS.issuperset(map(type, chain(*rows)))
        if plain and np.isfinite(values).all():
            return values
    nothing = [np.nan] * width
    rows = [nothing if row_fault(row, width) else row for row in rows]
    return np.array(rows, dtype=np.float64).reshape(-1, width)


def row_fault(row: Any, width: int) -> str:
    """Return what is wrong with a list of ``width`` finite numbers; '' if nothing is."""
    if type(row) is not list:
        return f"a row is {row!r:.40} and no list"
    if len(row) != width:
        return f"a row has {len(row)} values and not {width}"
    for column, value in enumerate(row):
        if type(value) is not float and type(value) is not int:
            return f"value {column} is {value!r:.40} and no number"
        if not -LARGEST_FLOAT <= value <= LARGEST_FLOAT:
            return f"value {column} is {value!s:.40} and no finite number"
    return ""


def whole(record: Mapping[str, Any], field: str) -> int:
    """Return the whole number in a record's field; UNKNOWN (-1) if the record lacks the field.

    Raises:
        Unfit: the value is not a whole number, or is below -2.
    """
    value = record.get(field, UNKNOWN)
    if type(value) is not int or not -2 <= value < LARGEST:
        raise Unfit(Code.BAD_ROW, f"{field} is {value!r:.40} and no whole number")
    return value

"""The text of one file: exact numbers, no key twice, and where it is no JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ontology.errors import SourceBroken
from ontology.files import read_text
from transforms.readers.base.json_text import read_json


def exact_json(data: bytes, name: str) -> Mapping[str, Any]:
    """The outermost object of a file, numbers with a point as decimals.

    Raises:
        SourceBroken: empty, cut short, not UTF-8, not JSON or no object, a key twice in one
            object, or a number that is none.
    """
    read_json(data, name)  # says precisely at which line and column it ends to be JSON
    try:
        found: Mapping[str, Any] = json.loads(
            read_text(data, name), parse_float=Decimal, parse_constant=_no_number,
            object_pairs_hook=_object,
        )  # fmt: skip
    except (ValueError, RecursionError) as error:
        raise SourceBroken(
            f"{name} can't be understood",
            expected="each key once in an object, and numbers that are finite",
            found=str(error) or "nested too deeply",
            where=f"{name}:1",
            fix="mend the file, or write it again",
        ) from None
    return found


def _no_number(found: str) -> None:
    raise ValueError(f"{found} where a number is expected")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) < len(pairs):
        twice = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return plain

"""Parse a JSON file with exact numbers and refuse duplicate keys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.files import read_text
from surgqa.transforms.readers.base.json_text import read_json


def exact_json(data: bytes, name: str) -> Mapping[str, Any]:
    """Return the outermost object of a file; numbers with a decimal point become ``Decimal``.

    Raises:
        SourceBroken: the file is empty, truncated, not UTF-8, not JSON or not an object, an
            object repeats a key, or a number is not finite.
    """
    read_json(data, name)  # its errors state line and column
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

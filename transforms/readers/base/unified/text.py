"""Parse a JSON file with exact numbers and refuse duplicate keys."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from surgqa.transforms.readers.base.json_text import read_json, read_tree


def exact_json(data: bytes, name: str) -> Mapping[str, Any]:
    """Return the outermost object of a file; numbers with a decimal point become ``Decimal``.

    Raises:
        SourceBroken: the file is empty, truncated, not UTF-8, not JSON or not an object, an
            object repeats a key, or a number is not finite.
    """
    read_json(data, name)  # it must be an object
    found: Mapping[str, Any] = read_tree(
        data, name, parse_float=Decimal, parse_constant=_no_number, object_pairs_hook=_object
    )
    return found


def _no_number(found: str) -> None:
    raise ValueError(f"{found} where a number is expected")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) < len(pairs):
        twice = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return plain

"""Parse JSON files: fast if they are well formed, with exact error places if they are not.

orjson parses well-formed files.  Python's parser is twenty times slower.  It is used only
if orjson fails, because it accepts NaN and reports line and column, or if a key seems to
occur twice, because orjson silently keeps the last value.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import orjson

from surgqa.ontology.errors import SourceBroken, SyntaxBroken
from surgqa.ontology.files import read_text

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class JsonText:
    """A parsed JSON file.

    Attributes:
        name: path relative to the root, used in messages.
        data: the outermost object.
        repeated: for each dotted path of an object and key, all values of a key that occurs more
            than once in it (``{'annotations': {'16': [[…], […]]}}``).
    """

    name: str
    data: dict[str, Any]
    repeated: dict[str, dict[str, list[Any]]]


class _Object(dict):
    """A JSON object that remembers its pairs when a key occurs twice."""

    repeated: dict[str, list[Any]]


def read_json(data: bytes, name: str) -> JsonText:
    """Parse a file whose outermost value must be an object.

    Args:
        data: the file's bytes; a byte-order mark and Windows line ends are accepted.
        name: path relative to the dataset's root.

    Raises:
        SourceBroken: the file is empty, truncated, not UTF-8, not JSON, or not an object.
            For invalid JSON, the error states line and column.
    """
    plain = data.removeprefix(BOM)
    if not plain.strip():
        raise SourceBroken(f"{name} is empty", expected="a JSON object", where=f"{name}:1:1",
                           fix="write or download the file again")  # fmt: skip
    try:
        tree = orjson.loads(plain)
        suspicious = b"\\u" in plain or plain.count(b":") != _colons(tree)
    except (orjson.JSONDecodeError, RecursionError):
        suspicious = True
    if suspicious:
        return _slow(data, name)
    return JsonText(name, _object(tree, name), {})


def _colons(value: Any) -> int:
    """Return how many colons a parsed value accounts for: one per key, and those in its texts.

    Lists are not searched. If the file has more colons than that, orjson dropped a repeated key, or
    a list contains a colon (not known in label files); the slower parser then reads the file again.
    """
    if type(value) is str:
        return value.count(":")
    if type(value) is dict:
        inside = sum(_colons(entry) for entry in value.values() if type(entry) is not list)
        return inside + len(value) + "".join(value).count(":")
    return 0


def _slow(data: bytes, name: str) -> JsonText:
    tree = read_tree(data, name, object_pairs_hook=_remember)
    repeated: dict[str, dict[str, list[Any]]] = {}
    try:
        _gather(tree, "", repeated)
    except RecursionError:
        raise _not_understood(name, "nested too deeply") from None
    return JsonText(name, _object(tree, name), repeated)


def read_tree(data: bytes, name: str, **how: Any) -> Any:
    """Return the outermost value of a file, of any kind.

    Args:
        how: options of ``json.loads``.

    Raises:
        SourceBroken: the file is not UTF-8 or not JSON; the error states line and column.
    """
    try:
        return json.loads(read_text(data, name), **how)
    except json.JSONDecodeError as error:
        raise SyntaxBroken(
            f"{name} is not valid JSON", expected="a whole JSON file",
            found=f"{error.msg} at line {error.lineno}, column {error.colno}",
            where=f"{name}:{error.lineno}:{error.colno}",
            fix="download the file again, or correct it at this place",
        ) from None  # fmt: skip
    except RecursionError:
        raise _not_understood(name, "nested too deeply") from None
    except ValueError as error:  # an integer with too many digits, or an option refuses a value
        raise _not_understood(name, str(error)) from None


def _not_understood(name: str, found: str) -> SourceBroken:
    return SourceBroken(
        f"{name} has an invalid value", expected="finite numbers, few levels deep", found=found,
        where=name, fix="correct the file, or write it again",
    )  # fmt: skip


def _remember(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    out = _Object(plain)
    values: dict[str, list[Any]] = {}
    for key, value in pairs:
        values.setdefault(key, []).append(value)
    out.repeated = {key: copies for key, copies in values.items() if len(copies) > 1}
    return out


def _gather(value: Any, path: str, found: dict[str, dict[str, list[Any]]]) -> None:
    if isinstance(value, _Object):
        found[path] = value.repeated
    if isinstance(value, dict):
        for key, entry in value.items():
            if isinstance(entry, dict):
                _gather(entry, f"{path}.{key}" if path else key, found)


def _object(tree: Any, name: str) -> dict[str, Any]:
    if isinstance(tree, dict):
        return tree
    raise SourceBroken(
        f"{name} is not a JSON object",
        expected='{"annotations": …}',
        found=f"a {type(tree).__name__}",
        where=f"{name}:1:1",
        fix="write or download the file again",
    )

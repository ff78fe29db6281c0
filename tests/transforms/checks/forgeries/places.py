"""Places of a value that can be changed, taken from its schema or from the value itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
import pyarrow as pa

Path = tuple[str | int, ...]
"""Steps into a value: names of fields, numbers of elements."""

EACH = "[]"
"""Step of a column's path into the elements of a list."""

TEXTS_OF_JSON = ("slots", "answer_value", "rule_args", "rubric", "value")
"""Columns of rows that hold JSON."""


def columns(schema: pa.Schema) -> list[str]:
    """Every leaf column of a schema: ``media.path``, ``options.[].key``."""
    return [name for field in schema for name in _leaves(field.name, field.type)]


def _leaves(name: str, kind: pa.DataType) -> Iterator[str]:
    if pa.types.is_struct(kind):
        for k in range(kind.num_fields):
            field = kind.field(k)
            yield from _leaves(f"{name}.{field.name}", field.type)
    elif pa.types.is_list(kind):
        yield from _leaves(f"{name}.{EACH}", kind.value_type)
    else:
        yield name


def kind_of(schema: pa.Schema, column: str) -> pa.DataType:
    """The type of a leaf column."""
    first, *rest = column.split(".")
    kind = schema.field(first).type
    for step in rest:
        kind = kind.value_type if step == EACH else kind.field(step).type
    return kind


def paths(row: Mapping[str, Any], column: str) -> list[Path]:
    """Where a leaf column is in a row; none where a list of it is empty, or a struct null."""
    found: list[Path] = [()]
    for step in column.split("."):
        found = [
            (*path, one)
            for path in found
            for one in (range(len(at(row, path) or ())) if step == EACH else (step,))
            if at(row, path) is not None
        ]
    return found


def at(value: Any, path: Path) -> Any:
    """The part of a value at a path."""
    for step in path:
        value = value[step]
    return value


def put(value: Any, path: Path, other: Any) -> Any:
    """A copy of a value with another part at a path; what lies beside it is shared."""
    if not path:
        return other
    first, *rest = path
    inner = put(value[first], tuple(rest), other)
    if isinstance(value, Mapping):
        return {**value, first: inner}
    assert isinstance(first, int)
    return [*value[:first], inner, *value[first + 1 :]]


def other(value: Any, kind: pa.DataType | None = None) -> Any:
    """Another value of the same type; of null a value of the column's type."""
    if value is None:
        return _first(kind)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value + 0.01 if value < 0.9 else value - 0.01
    text = str(value)
    return text[:-1] + ("0" if text[-1:] != "0" else "1") if len(text) > 16 else f"{text}x"


def _first(kind: pa.DataType | None) -> Any:
    if kind is None or pa.types.is_string(kind):
        return "forged"
    if pa.types.is_boolean(kind):
        return True
    return 1.0 if pa.types.is_floating(kind) else 1


def leaves_of(value: Any, path: Path = ()) -> Iterator[Path]:
    """Paths of all parts of plain data that hold no others."""
    if isinstance(value, Mapping) and value:
        for key, one in value.items():
            yield from leaves_of(one, (*path, key))
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for k, one in enumerate(value):
            yield from leaves_of(one, (*path, k))
    else:
        yield path


def shape(path: Path) -> str:
    """A path without what is a name of data: numbers of elements, ids and names of files."""
    return ".".join("*" if _is_data(step) else str(step) for step in path)


def _is_data(step: str | int) -> bool:
    return isinstance(step, int) or not step.replace("_", "").isalnum()


def forged_json(text: str) -> Iterator[tuple[str, str]]:
    """(place, JSON text) with each leaf changed in turn."""
    value = orjson.loads(text)
    for path in leaves_of(value):
        changed = put(value, path, _beside(at(value, path)))
        yield shape(path), orjson.dumps(changed, option=orjson.OPT_SORT_KEYS).decode()


def _beside(leaf: Any) -> Any:
    return ["forged"] if leaf in ([], {}) else other(leaf)

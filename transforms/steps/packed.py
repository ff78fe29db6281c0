"""Convert evidence to bytes and back.

Only a fixed list of classes is supported, so that bytes from elsewhere cannot run code.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np

from surgqa.ontology import records
from surgqa.ontology.absence import Absence
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.moments import Moment
from surgqa.transforms.readers.base import MediaRecord

CLASSES: Mapping[str, type] = {
    one.__name__: one
    for one in (
        records.Attribute, records.Books, records.InstrumentTable, records.Media, records.Rejected,
        records.Source, records.Span, records.Video, records.VideoEvidence, records.VideoLabel,
        Absence, Moment, MediaRecord,
    )
}  # fmt: skip
ENUMS: Mapping[str, type[Enum]] = {
    one.__name__: one for one in (records.Clock, records.Code, records.MediaKind)
}
FORM = bytes_digest(repr([(n, [f.name for f in fields(c)]) for n, c in CLASSES.items()]).encode())
"""Changes if a field is added or removed; data that were packed before are then not used."""

_TEXT = "text"


def pack(value: Any) -> bytes | None:
    """Return the value as a NumPy archive: its arrays, and all else as JSON in one more array.

    Returns:
        None if a part of the value has a class that is not on the list.
    """
    arrays: list[np.ndarray] = []
    try:
        text = json.dumps(_plain(value, arrays)).encode()
    except TypeError:
        return None
    sink = io.BytesIO()
    named = {f"a{k}": array for k, array in enumerate(arrays)}
    np.savez(sink, **{_TEXT: np.frombuffer(text, np.uint8)}, **named)
    return sink.getvalue()


def unpack(data: bytes) -> Any:
    """Return the value from the bytes that :func:`pack` returned."""
    with np.load(io.BytesIO(data), allow_pickle=False) as kept:
        arrays = {name: kept[name] for name in kept.files}
    return _whole(json.loads(arrays[_TEXT].tobytes()), arrays)


def _plain(value: Any, arrays: list[np.ndarray]) -> Any:
    """Return the value as data for JSON; a list with a type's name first stands for other types."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind in (tuple, list):
        return [kind.__name__, *(_plain(one, arrays) for one in value)]
    if isinstance(value, Mapping):
        return ["dict", *([_plain(k, arrays), _plain(v, arrays)] for k, v in value.items())]
    if kind is Fraction:
        return ["fraction", value.numerator, value.denominator]
    if kind is np.ndarray and not value.dtype.hasobject:
        arrays.append(value)
        return ["array", f"a{len(arrays) - 1}"]
    if isinstance(value, Enum) and ENUMS.get(kind.__name__) is kind:
        return [kind.__name__, value.value]
    if is_dataclass(value) and CLASSES.get(kind.__name__) is kind:
        return [kind.__name__, *(_plain(getattr(value, f.name), arrays) for f in fields(value))]
    raise TypeError(f"a value of type {kind.__name__} cannot be packed")


def _whole(value: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    if not isinstance(value, list):
        return value
    kind, *parts = value
    if kind == "array":
        return arrays[parts[0]]
    if kind == "dict":
        return {_whole(k, arrays): _whole(v, arrays) for k, v in parts}
    whole = [_whole(one, arrays) for one in parts]
    if kind in ("tuple", "list"):
        return tuple(whole) if kind == "tuple" else whole
    if kind == "fraction":
        return Fraction(*whole)
    return (CLASSES.get(kind) or ENUMS[kind])(*whole)

"""What the values of a mask's pixels show, as ``values:`` of a table says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from transforms.readers.base.mask_frames import Fault, Patch, ids_of
from transforms.readers.base.tables.mapping import Section
from transforms.readers.base.words import Mapped, Words


class Value(NamedTuple):
    """One value: the word of a label, and the part of the thing, '' for all of it."""

    word: str
    part: str


Values = Mapping[str, Mapping[int, Value]]
All = Mapping[str, Words | Mapped]


def values_of(section: Section, words: All) -> dict[str, dict[int, Value]]:
    """``{kind: {value: word}}``, where a word may be ``{word: part}``.

    Raises:
        UserError: a value is not from 0 to 255, or a word has no meaning; names file and line.
    """
    section.closed(tuple(words))
    return {str(kind): dict(_values(section.section(kind), words[kind])) for kind in section.data}


def _values(section: Section, words: Words | Mapped) -> Iterator[tuple[int, Value]]:
    for value, told in section.data.items():
        if type(value) is not int or not 0 <= value < 256:
            section.wrong(value, "a grey value from 0 to 255", found=value)
        pair = next(iter(told.items()), ("", "")) if isinstance(told, Mapping) else (told, "")
        if words.known(str(pair[0])) is None:
            section.wrong(value, f"a {words.kind} of: {', '.join(words.spelled)}")
        yield value, Value(str(pair[0]), str(pair[1]))


def patches_of(data: bytes, name: str, values: Values, words: All) -> list[Patch] | Fault:
    """What a mask shows: an area for each label, with the share of each of its parts.

    Returns the fault of a mask that cannot be read, or that has a value without a meaning.
    """
    ids = ids_of(data, name, {0, *(value for some in values.values() for value in some)})
    return list(_patches(ids, values, words)) if isinstance(ids, np.ndarray) else ids


def _patches(ids: np.ndarray, values: Values, words: All) -> Iterator[Patch]:
    shares = np.bincount(ids.ravel(), minlength=256) / ids.size
    for kind, some in values.items():
        members: dict[str, list[int]] = {}
        for value, told in some.items():
            concept = words[kind].concept(told.word)
            if isinstance(concept, str):
                members.setdefault(concept, []).append(value)
        for concept, own in members.items():
            if there := [value for value in own if shares[value]]:
                parts = {f"{some[value].part}_area": float(shares[value])
                         for value in own if some[value].part}  # fmt: skip
                yield Patch(kind, concept, np.isin(ids, own), min(there), attributes=parts)

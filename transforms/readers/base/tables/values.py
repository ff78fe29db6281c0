"""What the values of a mask's pixels show, as ``values:`` of a table says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from transforms.readers.base.blobs import white
from transforms.readers.base.mask_frames import Fault, Patch, ids_of
from transforms.readers.base.tables.mapping import Section
from transforms.readers.base.words import Mapped, Words


class Value(NamedTuple):
    """One value: the word of a label, and the part of the thing, '' for all of it."""

    word: str
    part: str


WHITE = 256
"""Stands for all pixels that are rather white than black, in any channel."""
Values = Mapping[str, Mapping[int, Value]]
All = Mapping[str, Words | Mapped]


def values_of(section: Section, words: All) -> dict[str, dict[int, Value]]:
    """``{kind: {value: word}}``; a word may be ``{word: part}``, and a value ``white``.

    Raises:
        UserError: a value is not from 0 to 255, or a word has no meaning; names file and line.
    """
    section.closed(tuple(words))
    return {str(kind): dict(_values(section.section(kind), words[kind])) for kind in section.data}


def _values(section: Section, words: Words | Mapped) -> Iterator[tuple[int, Value]]:
    for value, told in section.data.items():
        if value != "white" and (type(value) is not int or not 0 <= value < 256):
            section.wrong(value, "a grey value from 0 to 255, or white", found=value)
        pair = next(iter(told.items()), ("", "")) if isinstance(told, Mapping) else (told, "")
        if words.known(str(pair[0])) is None:
            section.wrong(value, f"a {words.kind} of: {', '.join(words.spelled)}")
        yield WHITE if value == "white" else int(value), Value(str(pair[0]), str(pair[1]))


def patches_of(data: bytes, name: str, values: Values, words: All) -> list[Patch] | Fault:
    """What a mask shows: an area for each label, with the share of each of its parts.

    Returns the fault of a mask that cannot be read, or that has a value without a meaning.
    """
    if any(WHITE in some for some in values.values()):
        return list(_white(white(data, name), values, words))
    ids = ids_of(data, name, {0, *(value for some in values.values() for value in some)})
    return list(_patches(ids, values, words)) if isinstance(ids, np.ndarray) else ids


def _white(mask: np.ndarray, values: Values, words: All) -> Iterator[Patch]:
    for kind, some in values.items():
        concept = words[kind].concept(some[WHITE].word)
        if isinstance(concept, str):
            yield Patch(kind, concept, mask, 0)


def parted(patches: Sequence[Patch], smallest: int) -> tuple[list[Patch], list[tuple[int, int]]]:
    """Every connected area as a patch of its own, in the order of their first pixels.

    Args:
        smallest: areas with fewer pixels are specks.

    Returns:
        The patches; and row and pixels of each speck.
    """
    import cv2

    out: list[Patch] = []
    specks: list[tuple[int, int]] = []
    for patch in patches:
        _, numbers = cv2.connectedComponents(patch.mask.astype(np.uint8), connectivity=8)
        found, firsts, sizes = np.unique(numbers, return_index=True, return_counts=True)
        order = [place for place in np.argsort(firsts).tolist() if found[place]]
        for row, place in enumerate(order, len(out) + len(specks)):
            if sizes[place] < smallest:
                specks.append((row, int(sizes[place])))
            else:
                out.append(replace(patch, mask=numbers == found[place], row=row))
    return out, specks


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

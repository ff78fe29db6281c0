"""The meaning of the values of a mask's pixels, from ``values:`` of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.sections import Section
from surgqa.transforms.media.masks import white
from surgqa.transforms.readers.base.mask_frames import Fault, Patch, ids_of
from surgqa.transforms.readers.base.words import AllWords, KindWords, Mapped


class InstanceMasks(NamedTuple):
    """Settings of how masks of single instances are read.

    Attributes:
        parts: for each grey value, the part of the instance.
        unparted: instances, such as an ultrasound probe, whose masks do not distinguish parts; all
            pixels above 0 are the instance.
        inside: height and width of images with a border, and x1, y1, x2, y2 of the part inside it.
    """

    parts: Mapping[int, str]
    unparted: tuple[str, ...] = ()
    inside: tuple[int, ...] = ()


class MaskValue(NamedTuple):
    """One value: the word of a label, and the part of the instance, '' for the whole instance."""

    word: str
    part: str


SIDES = ("left", "right")
WHITE = 256
"""Stands for all pixels that are rather white than black, in any channel."""
Values = Mapping[str, Mapping[int, MaskValue]]


def values_of(section: Section, words: AllWords) -> dict[str, dict[int, MaskValue]]:
    """Read ``{kind: {value: word}}``; a word may be ``{word: part}``, and a value ``white``.

    Raises:
        UserError: a value is not from 0 to 255, or a word has no meaning; names file and line.
    """
    section.closed(tuple(words))
    return {str(kind): dict(_values(section.section(kind), words[kind])) for kind in section.data}


def parts_of(section: Section) -> InstanceMasks | None:
    """Return ``parts:`` of a table, None without this key."""
    if "parts" not in section.data:
        return None
    parts = section.section("parts").coded(WHITE - 1)
    return InstanceMasks(parts, section.texts("unparted"), section.numbers("inside", 6))


def _values(section: Section, words: KindWords | Mapped) -> Iterator[tuple[int, MaskValue]]:
    for value, entry in section.data.items():
        if value != "white" and (type(value) is not int or not 0 <= value < 256):
            section.wrong(value, "a grey value from 0 to 255, or white", found=value)
        pair = next(iter(entry.items()), ("", "")) if isinstance(entry, Mapping) else (entry, "")
        if words.known(str(pair[0])) is None:
            section.wrong(value, f"a {words.kind} of: {', '.join(words.spelled)}")
        yield WHITE if value == "white" else int(value), MaskValue(str(pair[0]), str(pair[1]))


def patches_of(data: bytes, name: str, values: Values, words: AllWords) -> list[Patch] | Fault:
    """Return one patch for each label in a mask, with attributes such as ``shaft_area``.

    Returns code and reason of a mask that cannot be read or has a value without a meaning.
    """
    if any(WHITE in some for some in values.values()):
        return list(_white(white(data, name), values, words))
    ids = ids_of(data, name, {0, *(value for some in values.values() for value in some)})
    return list(_patches(ids, values, words)) if isinstance(ids, np.ndarray) else ids


def instance_of(
    data: bytes, name: str, track: int, table: InstanceMasks, words: KindWords | Mapped, text: str
) -> list[Patch] | Fault:
    """Return the patch in a mask of one instance, whose folder is named after its label.

    Args:
        track: number of the folder.
        text: name of the folder.

    Raises:
        SourceBroken: the name of the folder contains no label.
    """
    word = _word_in(text, name, words)
    concept = words.concept(word)
    if isinstance(concept, tuple):
        return concept
    plain = word in table.unparted
    ids = ids_of(data, name, range(256) if plain else (0, *table.parts))
    if not isinstance(ids, np.ndarray):
        return ids
    if table.inside and ids.shape == table.inside[:2]:
        x1, y1, x2, y2 = table.inside[2:]
        ids = ids[y1:y2, x1:x2]
    extra: dict[str, float | str] = {}
    if not plain:
        extra = {f"{part}_area": float((ids == one).mean()) for one, part in table.parts.items()}
    side = text.partition("_")[0].lower()
    if side in SIDES:
        extra["side"] = side
    return [Patch(words.kind, concept, ids > 0, track, track, extra)]


def _word_in(text: str, name: str, words: KindWords | Mapped) -> str:
    """Return the label's word in a folder's name, which may contain further words."""
    found = next((word for word in words.spelled if word.lower() in text.lower()), None)
    if found is None:
        folder = name.rpartition("/")[0]
        raise SourceBroken(
            f"the name of the folder {folder} contains no known {words.kind}", where=folder,
            expected=", ".join(words.spelled), found=text,
            fix="rename the folder to its name in the release",
        )  # fmt: skip
    return found


def _white(mask: np.ndarray, values: Values, words: AllWords) -> Iterator[Patch]:
    for kind, some in values.items():
        concept = words[kind].concept(some[WHITE].word)
        if isinstance(concept, str):
            yield Patch(kind, concept, mask, 0)


def parted(patches: Sequence[Patch], smallest: int) -> tuple[list[Patch], list[tuple[int, int]]]:
    """Return every connected area as a separate patch, in the order of their first pixels.

    Args:
        smallest: areas with fewer pixels are specks.

    Returns:
        The patches; and (row, number of pixels) of each speck.
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


def _patches(ids: np.ndarray, values: Values, words: AllWords) -> Iterator[Patch]:
    shares = np.bincount(ids.ravel(), minlength=256) / ids.size
    for kind, some in values.items():
        members: dict[str, list[int]] = {}
        for value, meaning in some.items():
            concept = words[kind].concept(meaning.word)
            if isinstance(concept, str):
                members.setdefault(concept, []).append(value)
        for concept, own in members.items():
            if there := [value for value in own if shares[value]]:
                parts = {f"{some[value].part}_area": float(shares[value])
                         for value in own if some[value].part}  # fmt: skip
                yield Patch(kind, concept, np.isin(ids, own), min(there), attributes=parts)

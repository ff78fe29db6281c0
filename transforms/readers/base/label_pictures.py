"""Read masks whose grey values are labels; a mask with an unlisted value is rejected."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

import numpy as np

from ontology.errors import SourceBroken
from ontology.masks import encoded
from ontology.records import Code, InstrumentTable
from transforms.readers.base.ledger import Ledger
from transforms.readers.base.masks import area_of, box_of, label_picture
from transforms.readers.base.objects import Thing, table_of_things
from transforms.readers.base.table import instants_of

_PNG = b"\x89PNG\r\n\x1a\n"
_END_OF_PNG = b"IEND\xaeB`\x82"


Values = Mapping[str, Mapping[str, Mapping[str, int]]]
"""Kind -> concept -> name of a part ('' for the whole) -> grey value."""
SINGLE = ("structure", "landmark")
"""Kinds whose labels occur only once: separate areas are one thing and share a box."""


def tables_of_masks(
    masks: Sequence[tuple[int, bytes, str]],
    values: Values,
    fps: Fraction,
    pointer: str,
    ledger: Ledger,
) -> dict[str, InstrumentTable]:
    """Kind -> table of what the masks of one video show; empty if no mask is usable.

    Args:
        masks: (frame number from 0, bytes, path) of each mask, ascending.
        values: the grey values that may occur; 0 is the background.
        pointer: format string for a place in the source, with ``{frame}`` and ``{row}``;
            the row is the lowest grey value of the thing.
    """
    meant = {0} | {v for labels in values.values() for parts in labels.values()
                   for v in parts.values()}  # fmt: skip
    frames: list[int] = []
    things: dict[str, list[Thing]] = {kind: [] for kind in values}
    for frame, data, path in masks:
        grey = grey_labels(data, path, meant)
        if isinstance(grey, tuple):
            ledger.reject((frame,), *grey, path)
            continue
        for kind, labels in values.items():
            found = (thing_in(grey, len(frames), label, parts, kind in SINGLE)
                     for label, parts in labels.items())  # fmt: skip
            things[kind] += [thing for thing in found if thing]
        frames.append(frame)
    at = np.array(frames, dtype=np.int64)
    times = instants_of(at, fps)
    return {
        kind: table_of_things(times, at, things[kind], sorted(labels), pointer)
        for kind, labels in values.items()
        if frames
    }


def grey_labels(data: bytes, name: str, meant: Collection[int]) -> np.ndarray | tuple[Code, str]:
    """Grey values, uint8 (H, W), or rejection code and reason if the mask is unusable.

    Args:
        data: the file's bytes; three equal channels are read as one.
        name: path relative to the dataset's root.
        meant: the grey values that may occur.
    """
    try:
        pixels = label_picture(data, name)
    except SourceBroken as error:
        return Code.BAD_MASK, f"the file is no mask that can be read: {error.found}"
    if data.startswith(_PNG) and not data.endswith(_END_OF_PNG):
        return Code.BAD_MASK, "the file is cut short, so that pixels are missing"
    if pixels.ndim == 3 and (pixels != pixels[:, :, :1]).any():
        return Code.BAD_MASK, "the mask is coloured, but its labels are grey values"
    grey = pixels if pixels.ndim == 2 else pixels[:, :, 0]
    odd = sorted(set(np.unique(grey).tolist()) - set(meant))
    if odd:
        return Code.UNKNOWN_LABEL, f"grey values {', '.join(map(str, odd[:5]))} are no label's"
    return grey


def in_one_piece(mask: np.ndarray) -> bool:
    """Whether a mask, bool (H, W), is one connected area; two areas may be two things."""
    import cv2

    areas, _ = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)
    return areas == 2  # the background counts as one


def thing_in(
    grey: np.ndarray, sample: int, label: str, parts: Mapping[str, int], single: bool
) -> Thing | None:
    """The thing that these grey values show; None if they do not occur.

    Its attributes are the shares of the image area covered by it and by each part.

    Args:
        grey: uint8 (H, W).
        parts: name of a part -> its grey value; '' for a thing without parts.
        single: True if it can occur only once: separate areas then share one box.  If False,
            several things may share a value, and only one connected area gets a box.
    """
    areas = {f"{part}_area": grey == value for part, value in parts.items() if part}
    whole = np.isin(grey, list(parts.values()))
    mask = encoded(whole)
    if not mask:
        return None
    shares = {"area": area_of(mask), **{name: float(a.mean()) for name, a in areas.items()}}
    box = box_of(mask) if single or in_one_piece(whole) else None
    first = min(parts.values())
    return Thing(sample, label, box, row=first, mask=mask, attributes=shares)

"""Convert mask files, in which pixels are labelled, to the tables of a video."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.masks import encoded
from surgqa.ontology.records import UNKNOWN, Code, InstrumentTable
from surgqa.transforms.media.masks import area_of, box_of, label_picture
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.objects import Thing, table_by_frame

Fault = tuple[Code, str]


@dataclass(frozen=True, slots=True)
class Patch:
    """One class or instance in one frame.

    Attributes:
        kind: ``instrument``, ``structure``.
        mask: bool (H, W); an empty mask is ignored.
        row: number of the patch in the source.
        boxed: False if the areas of the patch may be several things, so that it has no box.
    """

    kind: str
    label: str
    mask: np.ndarray
    row: int
    track: int = UNKNOWN
    attributes: Mapping[str, float | str] = field(default_factory=dict)
    boxed: bool = True


class MaskFrames:
    """Collects frames in ascending order and builds a table for each kind."""

    def __init__(self) -> None:
        self.frames: dict[int, list[tuple[str, Thing]]] = {}

    def add(self, number: int, patches: Iterable[Patch]) -> None:
        """Add one fully known frame; its boxes and ``area`` are computed from the masks."""
        self.frames[number] = []
        for patch in patches:
            if text := encoded(patch.mask):
                attributes = {"area": area_of(text), **patch.attributes}
                box = box_of(text) if patch.boxed else None
                thing = Thing(0, patch.label, box, None, patch.row, patch.track,
                              1.0, text, attributes)  # fmt: skip
                self.frames[number].append((patch.kind, thing))

    def table(
        self, kind: str, labels: Sequence[str], fps: Fraction, pointer: str
    ) -> InstrumentTable:
        """Return the table of one kind; ``labels`` are the annotated labels, in any order."""
        mine = {number: [thing for one, thing in things if one == kind]
                for number, things in self.frames.items()}  # fmt: skip
        return table_by_frame(mine, fps, labels, pointer)


def in_one_piece(mask: np.ndarray) -> bool:
    """True if a mask, bool (H, W), is one connected area. Two areas may be two things."""
    import cv2

    areas, _ = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)
    return areas == 2  # the background counts as one


def judged(
    number: int, parts: Mapping[str, list[Patch] | Fault], frames: MaskFrames, ledger: Ledger
) -> int:
    """Add a frame if all its masks are valid; otherwise reject them all.

    Args:
        parts: for the path of each mask, what the mask shows, or what is wrong with it.

    Returns:
        How many masks were kept.
    """
    good = {path: part for path, part in parts.items() if isinstance(part, list)}
    if len(good) == len(parts):
        frames.add(number, [patch for patches in good.values() for patch in patches])
        return len(parts)
    for path, part in parts.items():
        if not isinstance(part, list):
            ledger.reject((number, 0), *part, path)
    if good:
        reason = "another mask of this frame was rejected, so the frame is not fully known"
        ledger.reject((number, 1), Code.INCOMPLETE_INSTANT, reason, next(iter(good)), len(good))
    return 0


def numbered(
    names: Iterable[str], pattern: re.Pattern[str], folder: str, ledger: Ledger
) -> list[tuple[int, str]]:
    """Return (frame, path) of the mask files of a folder, by frame; others are rejected.

    Args:
        pattern: regular expression whose last group is the frame's number.
    """
    out: dict[int, str] = {}
    for place, name in enumerate(names):
        match, path = pattern.fullmatch(name), f"{folder}/{name}"
        frame = int(match[match.re.groups]) if match else -1
        if frame < 0:
            reason = f"{name!r} is not named like a mask with a frame number"
            ledger.reject((place,), Code.BAD_FRAME, reason, path)
        elif frame in out:
            reason = f"frame {frame} has another mask: {out[frame]}"
            ledger.reject((place,), Code.DUPLICATE_FRAME, reason, path)
        else:
            out[frame] = path
    return sorted(out.items())


def ids_of(data: bytes, name: str, known: Iterable[int] = range(256)) -> np.ndarray | Fault:
    """Return the ids of a mask file, uint8 (H, W); three equal channels count as one.

    The result is a description of the problem if the file cannot be read, is in colour, or has ids
    that are not ``known`` (with the number of their pixels).
    """
    pixels = colours_of(data, name)
    if not isinstance(pixels, np.ndarray):
        return pixels
    if pixels.ndim == 3:
        if (pixels != pixels[:, :, :1]).any():
            return Code.BAD_MASK, "the mask is in colour where ids are expected"
        pixels = pixels[:, :, 0]
    counts = np.bincount(pixels.ravel(), minlength=256)
    counts[list(known)] = 0
    if not counts.any():
        return pixels
    shown = ", ".join(f"{id_} ({counts[id_]} pixels)" for id_ in np.flatnonzero(counts).tolist())
    return Code.BAD_MASK, f"ids that the dataset does not know: {shown}"


def colours_of(data: bytes, name: str) -> np.ndarray | Fault:
    """Return the pixels of a mask file, uint8 (H, W) or (H, W, 3), or what is wrong with it."""
    try:
        return label_picture(data, name)
    except SourceBroken as error:
        return Code.UNREADABLE, f"{error.summary}: {error.found}"

"""Build the table of a video from single boxes, masks and presence labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from surgqa.ontology.records import UNKNOWN, Attribute, InstrumentTable, Pair

Box = tuple[float, float, float, float]
_NOWHERE: Box = (float("nan"),) * 4


@dataclass(frozen=True, slots=True)
class Thing:
    """One instance of an instrument, a lesion or a structure at one instant.

    Attributes:
        sample: index into the video's instants.
        label: concept id.
        box_xyxy: corners in [0, 1], None if no box was annotated.
        pairs: interactions of the instance, sorted; None if not annotated.
        row: position of the instance within its instant in the source.
        mask: see :class:`~ontology.records.InstrumentTable`.
        attributes: further numbers or words by name; a name is absent if not annotated.
    """

    sample: int
    label: str
    box_xyxy: Box | None = None
    pairs: tuple[Pair, ...] | None = None
    row: int = 0
    track: int = UNKNOWN
    score: float = 1.0
    mask: str = ""
    attributes: Mapping[str, float | str] = field(default_factory=dict)


def table_of_things(
    instants_us: np.ndarray,
    frames: np.ndarray,
    things: Sequence[Thing],
    labels: Sequence[str],
    pointer: str,
    box_origin: str = "manual",
) -> InstrumentTable:
    """Return the table of one video, with rows sorted by (sample, label, box, row).

    Args:
        instants_us: int64 (T,), strictly ascending.
        frames: int64 (T,).
        labels: sorted concept ids of everything that the dataset annotates.
        pointer: format string for a place in the source, with ``{frame}`` and ``{row}``.
    """
    ordered = sorted(things, key=_order)
    pair_sets = sorted({thing.pairs for thing in ordered if thing.pairs})
    set_code = {pairs: code for code, pairs in enumerate(pair_sets)}
    label_code = {label: code for code, label in enumerate(labels)}
    boxes = [thing.box_xyxy or _NOWHERE for thing in ordered]
    masks = tuple(thing.mask for thing in ordered)
    return InstrumentTable(
        instants_us=np.asarray(instants_us, dtype=np.int64),
        frames=np.asarray(frames, dtype=np.int64),
        sample=np.array([thing.sample for thing in ordered], dtype=np.int32),
        label=np.array([label_code[thing.label] for thing in ordered], dtype=np.int16),
        box_xyxy=np.array(boxes, dtype=np.float64).reshape(-1, 4),
        score=np.array([thing.score for thing in ordered], dtype=np.float64),
        pairs=np.array(
            [set_code[t.pairs] if t.pairs else UNKNOWN for t in ordered], dtype=np.int16
        ),
        track=np.array([thing.track for thing in ordered], dtype=np.int32),
        row=np.array([thing.row for thing in ordered], dtype=np.int32),
        labels=tuple(labels),
        pair_sets=tuple(pair_sets),
        box_origin=box_origin if any(thing.box_xyxy for thing in ordered) else "none",
        pointer=pointer,
        attributes=_attributes(ordered),
        masks=masks if any(masks) else (),
    )


def pixel_box(x1: float, y1: float, x2: float, y2: float, width: int, height: int) -> Box | None:
    """Return the box in [0, 1] of width and height, from any two opposite corners in pixels.

    Returns None if the part inside the image has no area.
    """
    left, right = sorted((x1 / width, x2 / width))
    top, bottom = sorted((y1 / height, y2 / height))
    return clipped_box((left, top, right, bottom))


def clipped_box(box: Box) -> Box | None:
    """Return the part of a box that lies inside the image; None if that part has no area."""
    x1, y1, x2, y2 = map(float, box)
    if not (0.0 <= x1 <= x2 <= 1.0 and 0.0 <= y1 <= y2 <= 1.0):
        x1, y1, x2, y2 = (min(max(value, 0.0), 1.0) for value in (x1, y1, x2, y2))
    return (x1, y1, x2, y2) if x1 < x2 and y1 < y2 else None


def _order(thing: Thing) -> tuple[int, str, bool, Box, int]:
    box = thing.box_xyxy
    return thing.sample, thing.label, box is None, box or (0.0,) * 4, thing.row


def _attributes(ordered: Sequence[Thing]) -> tuple[Attribute, ...]:
    names = sorted({name for thing in ordered for name in thing.attributes})
    out = []
    for name in names:
        given = [thing.attributes.get(name) for thing in ordered]
        words = tuple(sorted({value for value in given if isinstance(value, str)}))
        place = {word: float(code) for code, word in enumerate(words)}
        values = [
            float("nan") if v is None else place[v] if isinstance(v, str) else float(v)
            for v in given
        ]
        out.append(Attribute(name, np.array(values, dtype=np.float64), words))
    return tuple(out)

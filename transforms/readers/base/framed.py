"""Convert labels of single images of a video to stretches of time and to regions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from surgqa.ontology.boxes import Box, pixel_box
from surgqa.ontology.records import Code, InstrumentTable, Span
from surgqa.ontology.times import period_us
from surgqa.transforms.readers.base.intervals import sorted_spans
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.objects import Thing, table_by_frame
from surgqa.transforms.readers.base.table import instants_of, spans_of


@dataclass(frozen=True, slots=True)
class Framed:
    """One label of one image.

    Attributes:
        frame: number of the picture.
        box_xyxy: corners in [0, 1], None without a usable box.
        row: line in the label file, or position among the labels of the image.
        where: place in the label file.
    """

    frame: int
    kind: str
    concept: str
    box_xyxy: Box | None
    row: int
    where: str
    mask: str = ""
    attributes: Mapping[str, float | str] = field(default_factory=dict)


def framed_spans(framed: Sequence[Framed], fps: Fraction, source: str) -> tuple[Span, ...]:
    """Return a span for each run of consecutive frames with the same label, sorted."""
    places: dict[tuple[str, str], dict[int, str]] = {}
    for one in framed:
        places.setdefault((one.kind, one.concept), {}).setdefault(one.frame, one.where)
    return sorted_spans(
        span
        for (kind, concept), where in sorted(places.items())
        for span in _runs(kind, concept, where, fps, source)
    )


def framed_regions(
    framed: Sequence[Framed],
    frames: Iterable[int],
    fps: Fraction,
    labels: Iterable[str],
    pointer: str,
) -> InstrumentTable:
    """Return the table of the lesions, landmarks or structures that the labels mark.

    Args:
        frames: numbers of all images that were annotated for the labels.
        labels: concept ids of everything that the annotators searched for.
        pointer: how to write a place in the source, with ``{frame}`` and ``{row}``.
    """
    by_frame: dict[int, list[Thing]] = {frame: [] for frame in frames}
    for one in framed:
        by_frame[one.frame].append(Thing(0, one.concept, one.box_xyxy, row=one.row, mask=one.mask,
                                         attributes=one.attributes))  # fmt: skip
    return table_by_frame(by_frame, fps, labels, pointer)


def picture_box(
    corners: Sequence[float | None],
    size: tuple[int, int],
    ledger: Ledger,
    at: tuple[int, ...],
    where: str,
) -> Box | None:
    """Return the smallest box around corners in pixels, cut at the picture's edges.

    If the box is cut or cannot be used, the ledger says so; the label is kept.

    Args:
        corners: x1, y1, x2, y2 with the upper left corner first, or x and y of several
            points; None for a number that could not be read.
        size: width and height of the image in pixels, 0 if unknown.

    Returns:
        None if the corners or the size give no box.
    """
    known = [value for value in corners if value is not None]
    xs, ys = known[::2], known[1::2]
    if min(size) < 1:
        reason = "the picture's size is not known: label kept alone"
        ledger.repair(at, Code.BAD_BOX, reason, where)
        return None
    backwards = len(corners) == 4 and len(known) == 4 and (xs[0] >= xs[1] or ys[0] >= ys[1])
    if len(known) < max(4, len(corners)) or len(known) % 2 or backwards:
        shown = ", ".join("?" if value is None else f"{value:g}" for value in corners)
        ledger.repair(at, Code.BAD_BOX, f"corners {shown} make no box: label kept alone", where)
        return None
    box = pixel_box(min(xs), min(ys), max(xs), max(ys), *size)
    if box is None:
        reason = "the box has no area in the picture: label kept alone"
        ledger.repair(at, Code.BAD_BOX, reason, where)
    elif min(known) < 0 or max(xs) > size[0] or max(ys) > size[1]:
        ledger.repair(at, Code.BAD_BOX, "the box leaves the picture: cut at its edge", where)
    return box


def _runs(
    kind: str, concept: str, places: Mapping[int, str], fps: Fraction, source: str
) -> tuple[Span, ...]:
    frames = np.array(sorted(places), dtype=np.int64)

    def place(first: int, last: int) -> str:
        ends = [places[int(frames[position])] for position in (first, last)]
        return ends[0] if first == last else " to ".join(ends)

    codes = np.zeros(frames.size, dtype=np.int64)
    period = period_us(fps)
    return spans_of(kind, instants_of(frames, fps), codes, (concept,), period, source, place)

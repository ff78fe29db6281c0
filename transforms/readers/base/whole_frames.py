"""Instances frame by frame. A frame with a row that is not understood is left out.

An object that no row of a kept frame names is known to be absent. This can only be concluded if
every row of the frame is understood.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from surgqa.ontology.boxes import Box, pixel_box
from surgqa.ontology.published import Unfit
from surgqa.ontology.records import Code, InstrumentTable, Pair
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.objects import Thing, table_by_frame

_FAR = 1e6
_ROUNDING = 1e-6
"""Pixels by which rounding alone may extend a box beyond the image."""


@dataclass(frozen=True, slots=True)
class FrameRow:
    """The meaning of a row of a label file about one frame.

    Attributes:
        label: concept id; '' for a row that says that nothing is in view.
        is_cut: whether the box reached beyond the picture.
        pair: verb and target of an instrument. Rows of one box are then one instance.
        kind: ``instrument``, ``structure`` and the like.
        frame_labels: further labels in the row, such as the phase of the frame.
    """

    label: str = ""
    box_xyxy: Box | None = None
    is_cut: bool = False
    pair: Pair | None = None
    kind: str = "instrument"
    attributes: Mapping[str, float | str] = field(default_factory=dict)
    mask: str = ""
    frame_labels: Any = None


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A row with its place in the ledger and in its frame.

    ``found`` is None if the row was not understood.
    """

    at: tuple[int, ...]
    where: str
    number: int
    found: FrameRow | None


def found_box(corners: Sequence[Any], width: int, height: int) -> tuple[Box, bool]:
    """Return the box of two opposite corners, in [0, 1] of the image, and whether it was cut.

    Raises:
        Unfit: the corners are not four numbers, or the box has no area in the image.
    """
    numbers = [n for n in corners if type(n) in (int, float) and abs(n) < _FAR]
    if len(numbers) != 4 or len(corners) != 4:
        raise Unfit(Code.BAD_BOX, f"the box {list(corners)!r:.60} is not four numbers")
    x1, y1, x2, y2 = numbers
    box = pixel_box(x1, y1, x2, y2, width, height)
    if box is None:
        raise Unfit(Code.BAD_BOX, f"the box {numbers!r:.60} has no area in the picture")
    over = max(-min(numbers), max(x1, x2) - width, max(y1, y2) - height)
    return box, over > _ROUNDING


class WholeFrames:
    """Collects the rows of one video; :meth:`close` returns the frames that are fully known.

    Attributes:
        frames: the rows by frame.
        known: after :meth:`close`, the kept rows of each frame that is fully known.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.frames: dict[int, list[PlacedRow]] = {}
        self.known: dict[int, list[PlacedRow]] = {}

    def open(self, frame: int) -> None:
        """Record that a frame is annotated; it may show no instance."""
        self.frames.setdefault(frame, [])

    def add(
        self, frame: int, at: tuple[int, ...], where: str, understand: Callable[[], FrameRow]
    ) -> None:
        """Add a row; ``understand`` raises :class:`Unfit` for a row that cannot be used."""
        self.open(frame)
        found = None
        try:
            found = understand()
        except Unfit as wrong:
            self.ledger.reject(at, wrong.code, wrong.reason, where)
        self.frames[frame].append(PlacedRow(at, where, len(self.frames[frame]), found))

    def close(
        self, kinds: Mapping[str, Sequence[str]], fps: Fraction, pointer: str
    ) -> tuple[dict[str, InstrumentTable], int]:  # fmt: skip
        """Return one table for each kind, all with the same instants, and how many rows were kept.

        Args:
            kinds: for each kind, the sorted concepts that were annotated; () for all in the rows.
            fps: rate of the frame numbers.
            pointer: how to write a place in the source, with ``{frame}`` and ``{row}``.
        """
        things: dict[str, dict[int, list[Thing]]] = {kind: {} for kind in kinds}
        for frame in sorted(self.frames):
            rows = self.frames[frame]
            if not all(row.found for row in rows):
                self._leave_out([row for row in rows if row.found])
                continue
            for by_frame in things.values():
                by_frame[frame] = []
            self.known[frame] = [row for same in _same_boxes(rows)
                                 for row in self._keep(frame, same, things)]  # fmt: skip
        return {
            kind: table_by_frame(things[kind], fps, labels, pointer)
            for kind, labels in kinds.items()
        }, sum(map(len, self.known.values()))

    def _leave_out(self, rows: Sequence[PlacedRow]) -> None:
        reason = "another row of this frame was rejected, so the frame is not fully known"
        for row in rows:
            self.ledger.reject(row.at, Code.INCOMPLETE_INSTANT, reason, row.where)

    def _keep(
        self, frame: int, rows: Sequence[PlacedRow], things: dict[str, dict[int, list[Thing]]]
    ) -> Sequence[PlacedRow]:
        """Add the instance of some rows with one label and box; return the rows that are kept.

        Rows with a pair are all kept. Of other rows the first is kept, and the others are rejected.
        """
        first = rows[0].found or FrameRow()
        pairs = sorted({row.found.pair for row in rows if row.found and row.found.pair})
        kept = rows if pairs else rows[:1]
        for row in rows[len(kept) :]:
            reason = "the same object with the same box again"
            self.ledger.reject(row.at, Code.BAD_ROW, reason, row.where)
        for row in kept:
            if row.found and row.found.is_cut:
                reason = "the box reaches beyond the picture: cut"
                self.ledger.repair(row.at, Code.BAD_BOX, reason, row.where)
        if first.label:
            thing = Thing(0, first.label, first.box_xyxy, tuple(pairs) or None, rows[0].number,
                          mask=first.mask, attributes=first.attributes)  # fmt: skip
            things[first.kind][frame].append(thing)
        return kept


def _same_boxes(rows: Sequence[PlacedRow]) -> list[list[PlacedRow]]:
    """Return groups of rows with one label and box; a row without a box is a group alone."""
    groups: dict[Any, list[PlacedRow]] = {}
    for row in rows:
        found = row.found or FrameRow()
        key = (found.label, found.box_xyxy or row.number)
        groups.setdefault(key, []).append(row)
    return list(groups.values())

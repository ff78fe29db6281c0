"""Parse all records of a file at once, by column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from surgqa.ontology.published import Unfit
from surgqa.ontology.records import UNKNOWN, Code
from surgqa.transforms.readers.base.objects import PlacedThings, Thing

NOTHING = Thing(0, "")
S = TypeVar("S")
Note = Callable[[Code, str], None]
"""Function that records in the ledger how a record was changed before it was kept."""


class FrameRecord(NamedTuple, Generic[S]):
    """The content of a record: an instance or None, and labels of its frame, such as the phase."""

    thing: Thing | None
    frame: S


class RecordColumns(NamedTuple):
    """The values of N records, as arrays.

    Attributes:
        ids: (N, K), the numbers that determine what a record means, such as the id of the verb.
        boxes: float64 (N, 4), x, y, width, height; -1 for no box, NaN for an invalid record.
        scores: float64 (N,).
    """

    ids: np.ndarray
    boxes: np.ndarray
    scores: np.ndarray


class Parser(Protocol[S]):
    """How one reader interprets the records of one file."""

    def columns(self, records: list[Any]) -> RecordColumns:
        """Return the values of all records of the file."""

    def meaning(self, ids: Sequence[float], note: Note) -> FrameRecord[S]:
        """Return a record without its box and score; raise Unfit if it is invalid."""

    def parse(self, record: Any, row: int, note: Note) -> FrameRecord[S]:
        """Return a record and its position in the frame; raise Unfit if it is invalid."""


class Bulk(Generic[S]):
    """All records of a file, by column.

    Args:
        entries: the records of each frame.

    Attributes:
        damaged: int64, frames that must be parsed record by record, because a record in them is
            invalid or must be changed, or repeats an instance or track.
    """

    def __init__(self, parser: Parser[S], entries: Sequence[list[Any]]) -> None:
        self.sizes = np.array([len(entry) for entry in entries], dtype=np.int64)
        self.frame = np.repeat(np.arange(len(entries)), self.sizes)
        self.starts = np.cumsum(self.sizes) - self.sizes
        ids, boxes, self.scores = parser.columns(list(chain.from_iterable(entries)))
        self.kind, first = _kinds(ids)
        self.known = [_plainly(parser, one) for one in ids[first].tolist()]
        self.seen = self._each(lambda one: one.thing is not None) > 0
        with np.errstate(over="ignore"):
            x1, y1, x2, y2 = corners(*boxes.T)
        nowhere = (boxes == -1).all(axis=1)
        inside = (x1 >= 0) & (y1 >= 0) & (x2 <= 1) & (y2 <= 1) & (x1 < x2) & (y1 < y2)
        self.boxes = np.where(nowhere, np.nan, (x1, y1, x2, y2)).T
        plain = (self.scores >= 0) & (self.scores <= 1) & (nowhere | inside & self.seen)
        plain &= self._each(lambda one: True) > 0
        self.damaged = np.unique(self.frame[~plain | self._repeat()])

    def _each(self, value: Callable[[FrameRecord[S]], int]) -> np.ndarray:
        """Return the ``value`` of each record, int64 (N,); UNKNOWN if it must be parsed singly."""
        kinds = [UNKNOWN if one is None else value(one) for one in self.known]
        return np.array(kinds, dtype=np.int64)[self.kind]

    def _repeat(self) -> np.ndarray:
        """Return bool (N,), True if an earlier record of the frame has the same box or track."""
        code: dict[Any, int] = {}
        label = self._each(lambda one: code.setdefault(one.thing and one.thing.label, len(code)))
        track = self._each(lambda one: one.thing.track if one.thing else UNKNOWN)
        boxed = self.seen & ~np.isnan(self.boxes[:, 0])
        out = np.zeros(boxed.size, dtype=bool)
        for where, columns in ((boxed, self.boxes.T), (track != UNKNOWN, [track])):
            out[where] |= _repeated(*(one[where] for one in (*columns, label, self.frame)))
        return out

    def frame_labels(self) -> list[tuple[S, ...]]:
        """Return, for each undamaged frame, the distinct labels that apply to the whole frame."""
        code: dict[Any, int] = {}
        said = self._each(lambda one: code.setdefault(one.frame, len(code)))
        new = np.flatnonzero(np.diff(self.frame * (len(code) + 1) + said, prepend=UNKNOWN - 1))
        out: list[tuple[S, ...]] = [()] * len(self.sizes)
        values = [*code, None]
        for place, one in zip(self.frame[new].tolist(), said[new].tolist(), strict=True):
            out[place] += (values[one],)
        return out

    def things(self, others: Sequence[Thing], kept: np.ndarray) -> PlacedThings:
        """Return the instances in the kept frames; their ``sample`` is an index into these frames.

        Args:
            others: the instances in damaged frames.
            kept: bool (F,), True for a frame that is kept.
        """
        there = self.seen & ~np.isin(self.frame, self.damaged)
        bulk = PlacedThings(
            [one.thing if one and one.thing else NOTHING for one in self.known],
            self.kind[there], self.frame[there], self.boxes[there], self.scores[there],
            (np.arange(self.frame.size) - self.starts[self.frame])[there],
        )  # fmt: skip
        every = bulk.joined(PlacedThings.of(others))
        return replace(every, sample=(np.cumsum(kept) - 1)[every.sample])


def _kinds(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return an integer for each row, (N,), equal for equal rows; and the first row of each."""
    text, width = rows.tobytes(), max(1, rows.itemsize * rows.shape[1])
    code: dict[bytes, int] = {}
    codes = [code.setdefault(text[at : at + width], len(code)) for at in range(0, len(text), width)]
    kind = np.array(codes, dtype=np.int64)
    return kind, np.unique(kind, return_index=True)[1]


def _plainly(parser: Parser[S], ids: Sequence[float]) -> FrameRecord[S] | None:
    """Return what a record with these ids means; None if it is invalid or must be changed."""
    notes: list[str] = []
    with suppress(Unfit):
        record = parser.meaning(ids, lambda code, reason: notes.append(reason))
        return None if notes else record
    return None


def _repeated(*columns: np.ndarray) -> np.ndarray:
    """Return bool (N,), True for a row that is equal to an earlier row of the columns."""
    order = np.lexsort(columns)
    same = [column[order][1:] == column[order][:-1] for column in columns]
    out = np.zeros(order.size, dtype=bool)
    out[order[1:][np.logical_and.reduce(same)]] = True
    return out


def corners(x: Any, y: Any, width: Any, height: Any) -> tuple[Any, Any, Any, Any]:
    """Return x1, y1, x2, y2 of a box, or of arrays of boxes."""
    return x, y, x + width, y + height

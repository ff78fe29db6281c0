"""Columns of the store's Parquet files, and the instrument table that boxes make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from surgqa.ontology.absence import Absence
from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.errors import StoreBroken
from surgqa.ontology.fitness import Fitness
from surgqa.ontology.records import UNKNOWN, Books, InstrumentTable
from surgqa.ontology.times import period_us
from surgqa.transforms.readers.base.observed.absence import absence_of
from surgqa.transforms.readers.base.observed.facts import ObservedVideo

WANTED = {
    "boxes": ("time_us", "frame", "kind", "label", "x1", "y1", "x2", "y2", "score", "track",
              "origin"),
    "frames": ("time_us", "frame", "trusted"),
    "stretches": ("start_us", "end_us", "kind", "label", "level"),
    "utterances": ("start_us", "end_us", "text", "flags"),
    "anchors": ("start_us", "end_us", "action", "tool", "tissue", "intent", "flags"),
    "happenings": ("time_us", "end_us", "kind", "label", "track", "other_track", "x1", "y1", "x2",
                   "y2", "value", "resolution_us", "source"),
}  # fmt: skip
NEEDED = ("boxes", "frames", "stretches")
"""Kinds that every store has."""
SPOKEN = ("utterances", "anchors", "happenings")
"""Kinds that are read where the store says that it has them."""
POINTER = "boxes.parquet, frame {frame}, row {row}"
Columns = Mapping[str, list[Any]]


def columns_of(data: bytes, kind: str, name: str) -> Columns:
    """Columns of one file as lists.

    Raises:
        SourceBroken: not Parquet, cut short, or without a column.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(pa.BufferReader(data), columns=list(WANTED[kind]))
        return {column: table.column(column).to_pylist() for column in WANTED[kind]}
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise StoreBroken(
            f"{name} is not what 'surgqa observe' writes",
            found=str(error).splitlines()[0],
            where=f"{name}:{len(data)}",
            fix="observe the video again",
        ) from None


def instruments_of(
    boxes: Columns, frames: Columns, facts: ObservedVideo, fitness: Fitness
) -> tuple[InstrumentTable, Books]:
    """Event tuples of the boxes of instruments; instants are the undamaged pictures.

    Boxes of a class that reviewers proved to be wrong too often are left out, unless a person
    drew them.
    """
    seen = [(t, f) for t, f, good in zip(frames["time_us"], frames["frame"], frames["trusted"],
                                         strict=True) if good]  # fmt: skip
    every = [i for i, kind in enumerate(boxes["kind"]) if kind == "instrument"]
    origin, label = boxes["origin"], boxes["label"]
    mine = [i for i in every if origin[i] == "manual" or fitness.of(label[i]).believed]
    table = table_of(boxes, mine, seen)
    absence = absence_of(table, facts.classes or (), fitness, facts.reviewed_us,
                         period_us(facts.rate or facts.fps))  # fmt: skip
    account = Books("read", "boxes", len(every), len(mine), len(every) - len(mine))
    return replace(table, absence=absence), account


def table_of(
    boxes: Columns, mine: Sequence[int], seen: Sequence[tuple[int, int]]
) -> InstrumentTable:
    """Event tuples of some boxes.

    Args:
        mine: numbers of the rows to use.
        seen: (time in microseconds, frame) of each instant, ascending; theirs are among them.
    """
    labels = tuple(sorted({boxes["label"][i] for i in mine}))
    where = {t: k for k, (t, _) in enumerate(seen)}
    sample = np.array([where[boxes["time_us"][i]] for i in mine], dtype=np.int32)
    code = np.array([labels.index(boxes["label"][i]) for i in mine], dtype=np.int16)
    corners = [[boxes[c][i] for c in ("x1", "y1", "x2", "y2")] for i in mine]
    box = np.array(corners, dtype=np.float64).reshape(-1, 4)
    order = np.lexsort((*box.T[::-1], code, sample))
    return InstrumentTable(
        instants_us=np.array([t for t, _ in seen], dtype=np.int64),
        frames=np.array([f for _, f in seen], dtype=np.int64),
        sample=sample[order],
        label=code[order],
        box_xyxy=box[order],
        score=np.array([boxes["score"][i] for i in mine], dtype=np.float64)[order],
        pairs=np.full(len(mine), UNKNOWN, dtype=np.int16),
        track=np.array([_track(boxes["track"][i]) for i in mine], dtype=np.int32)[order],
        row=_rows(sample[order]),
        labels=labels,
        pair_sets=(),
        box_origin=_origin([boxes["origin"][i] for i in mine]),
        pointer=POINTER,
    )


def _track(value: int | None) -> int:
    return UNKNOWN if value is None else value


def _rows(sample: np.ndarray) -> np.ndarray:
    """Return the position of each row within its instant."""
    if not len(sample):
        return np.zeros(0, dtype=np.int32)
    starts = np.flatnonzero(np.concatenate([[True], np.diff(sample) != 0]))
    lengths = np.diff([*starts, len(sample)])
    return (np.arange(len(sample)) - np.repeat(starts, lengths)).astype(np.int32)


def _origin(origins: list[str]) -> str:
    """Return one word for the origin of all boxes: a person only if all boxes are a person's."""
    if not origins:
        return "none"
    return "manual" if set(origins) == {"manual"} else "detector"


KIND = "tissue"


def tissues_of(boxes: Columns, frames: Columns) -> tuple[dict[str, InstrumentTable], Books]:
    """Tissue boxes of detectors, reviewers and masks as a table by kind, and row counts.

    A tissue that was not seen is never known to be absent, even on reviewed frames, because
    nobody annotates every tissue in a frame.  Of a unique structure, at most one is in view.
    """
    known = vocabulary("targets")
    every = [i for i, kind in enumerate(boxes["kind"]) if kind == KIND]
    mine = [i for i in every if boxes["label"][i] in known]
    account = Books("read", "tissues", len(every), len(mine), len(every) - len(mine))
    if not mine:
        return {}, account
    times = {boxes["time_us"][i] for i in mine}
    seen = [(t, f) for t, f in zip(frames["time_us"], frames["frame"], strict=True) if t in times]
    table = table_of(boxes, mine, seen)
    unique = np.array([known[label].unique for label in table.labels], bool)
    shape = len(table.instants_us), len(table.labels)
    absence = Absence(table.labels, np.zeros(shape, bool), np.broadcast_to(unique, shape).copy())
    return {KIND: replace(table, absence=absence)}, account

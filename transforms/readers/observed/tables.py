"""Columns of the store's Parquet files, and the instrument table that is made from boxes."""

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
from surgqa.transforms.readers.base.objects import Thing, table_of_things
from surgqa.transforms.readers.observed.absence import absence_of
from surgqa.transforms.readers.observed.facts import ObservedVideo

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
"""Tables that every store has."""
SPOKEN = ("utterances", "anchors", "happenings")
"""Tables that are read only if the store lists them."""
POINTER = "boxes.parquet, frame {frame}, row {row}"
Columns = Mapping[str, list[Any]]


def columns_of(data: bytes, kind: str, name: str) -> Columns:
    """Return the columns of one file as lists.

    Raises:
        SourceBroken: the file is not Parquet, is cut short, or lacks a column.
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
    """Return the table of instruments from their boxes, and the counts of boxes.

    The instants are the undamaged frames. Boxes of a class that reviewers often found wrong are
    left out, unless a person drew them.
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
    """Return a table of instances from some boxes.

    Args:
        mine: numbers of the rows of ``boxes`` to use.
        seen: (time in microseconds, frame) of all instants of the table, ascending.
    """
    where = {time: sample for sample, (time, _) in enumerate(seen)}
    corners = [boxes[side] for side in ("x1", "y1", "x2", "y2")]
    things = [
        Thing(
            where[boxes["time_us"][i]], boxes["label"][i],
            (corners[0][i], corners[1][i], corners[2][i], corners[3][i]),
            track=UNKNOWN if boxes["track"][i] is None else boxes["track"][i],
            score=boxes["score"][i], origin=boxes["origin"][i],
        )
        for i in mine
    ]  # fmt: skip
    times, frames = (np.array([one[k] for one in seen], dtype=np.int64) for k in (0, 1))
    labels = sorted({thing.label for thing in things})
    table = table_of_things(times, frames, things, labels, POINTER)
    row = np.arange(len(things)) - np.searchsorted(table.sample, table.sample)
    return replace(table, row=row.astype(np.int32))


KIND = "tissue"


def tissues_of(boxes: Columns, frames: Columns) -> tuple[dict[str, InstrumentTable], Books]:
    """Return the table of tissues from their boxes, under the key KIND; and the counts of boxes.

    A tissue that was not seen is never known to be absent, even on reviewed frames, because nobody
    annotates every tissue in a frame.  If a unique structure has a box, no second one is in view.
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

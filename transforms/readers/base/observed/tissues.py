"""Tables of the tissues that were seen in the frames of an observed video."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surgqa.ontology.absence import Absence
from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.records import Books, InstrumentTable
from surgqa.transforms.readers.base.observed.tables import Columns, table_of

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

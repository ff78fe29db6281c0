"""Convert a tool file's columns of zeros and ones to the table of instruments."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ontology.concepts import label_map
from ontology.errors import SourceBroken
from ontology.records import UNKNOWN, Code, InstrumentTable
from transforms.readers.base import (
    InstrumentRows,
    Ledger,
    concept_of,
    instants_of,
    instrument_table,
)
from transforms.readers.base.frame_rows import FrameRows

VALUES = {"0": 0, "1": 1}


def tools_of(rows: FrameRows, fps: Fraction, ledger: Ledger) -> tuple[InstrumentTable, int]:
    """The instruments in view at each instant of a video, and the number of rows that are kept.

    Raises:
        SourceBroken: a column is not a tool of the dataset.
    """
    concepts = _concepts(rows)
    labels = sorted(concepts)
    values = np.stack(
        [
            np.array([VALUES.get(word, UNKNOWN) for word in words], dtype=np.int64)[codes]
            for words, codes in zip(rows.words, rows.codes, strict=True)
        ]
    )
    good = (values != UNKNOWN).all(axis=0)
    for at in np.flatnonzero(~good).tolist():
        line, column = int(rows.lines[at]), int(np.argmin(values[:, at]))
        cell = rows.words[column][int(rows.codes[column][at])]
        reason = f"{rows.columns[column]} is {cell[:40]!r} and not 0 or 1"
        ledger.reject((rows.place, line), Code.BAD_VALUE, reason, f"{rows.name}:{line}")
    sample, tool = np.nonzero(values[:, good].T)
    code = np.array([labels.index(concept) for concept in concepts])
    present = InstrumentRows(
        sample=sample,
        label=code[tool],
        box_xyxy=np.full((sample.size, 4), np.nan),
        score=np.ones(sample.size),
        pair=np.full(sample.size, UNKNOWN),
        row=tool + 1,
    )
    frames = rows.frames[good]
    pointer = "frame {frame}, column {row} (that of the frame is 0)"
    table = instrument_table(instants_of(frames, fps), frames, present, labels, (), pointer)
    return table, int(good.sum())


def _concepts(rows: FrameRows) -> list[str]:
    """The instrument's concept id for each column."""
    found: list[str] = []
    for column in rows.columns:
        concept = concept_of("instrument", column, label_map("cholec80"))
        if not isinstance(concept, str):
            raise SourceBroken(
                f"{rows.name} has a column that is not a tool of the dataset",
                expected=", ".join(label_map("cholec80")["instrument"]),
                found=column,
                where=f"{rows.name}:1",
                fix="download the file again",
            )
        found.append(concept)
    return found

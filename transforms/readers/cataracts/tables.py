"""Parse the tables of CATARACTS: a row per frame; a column per tool, or one column of steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ontology.concepts import label_map
from ontology.records import Code
from transforms.readers.base import Delimited, Ledger, number, read_delimited, whole_number
from transforms.readers.base.delimited import fold

Fault = tuple[Code, str]
VALUES = {"0": 0.0, "1": 1.0, "0.5": 0.5}
LONGEST = 10**8  # more frames than any operation has


@dataclass(frozen=True, slots=True)
class Frames:
    """The valid rows of one table, sorted by frame.

    Attributes:
        labels: concept ids of the columns in the file's order; for steps, all concept ids by id.
        index: int64 (T,), frame numbers from 0, strictly ascending.
        values: float64 (T, C): 0 or 1 for each tool, or the id of the step.
        read: number of rows in the file, including rejected ones.
    """

    labels: tuple[str, ...]
    index: np.ndarray
    values: np.ndarray
    read: int


def frames_of(data: bytes, name: str, kind: str, ledger: Ledger) -> Frames:
    """Parse a table of a ``kind`` (``instrument`` or ``step``); the ledger records its errors.

    Raises:
        SourceBroken: the file is not a table, or a column is missing.
    """
    known = label_map("cataracts")[kind]
    needed = ("Frame", "Steps") if kind == "step" else ("Frame", *known)
    table = read_delimited(data, name, needed, aliases={"Step": "Steps"})
    columns = _columns(table, known) if kind == "instrument" else {"steps": ""}
    labels = tuple(columns.values() if kind == "instrument" else known.values())
    told: dict[int, tuple[int, list[float]]] = {}
    faults: dict[int, Fault] = {line: (Code.BAD_ROW, reason) for line, reason in table.bad}
    for row in table.rows:
        frame = whole_number(row["frame"])
        cells = [row[column] for column in columns]
        values = [VALUES[c] if c in VALUES else number(c) for c in cells]
        good = [value for value in values if value is not None]
        fault = _fault(kind, good, labels) if len(good) == len(values) else None
        if frame is None or not 0 < frame < LONGEST:
            faults[row.line] = Code.BAD_FRAME, f"{row['frame']!r} is no frame number from 1"
        elif fault or len(good) < len(values):
            faults[row.line] = fault or (Code.BAD_VALUE, f"not all is a number: {cells}")
        else:
            told[row.line] = frame - 1, good
    times = Counter(frame for frame, _ in told.values())
    for line in [line for line, (frame, _) in told.items() if times[frame] > 1]:
        faults[line] = Code.DUPLICATE_FRAME, "this frame has more than one row"
    if told and not data.endswith(b"\n"):
        faults[max(told)] = Code.BAD_ROW, "the last line has no end, so it may be cut short"
    _enter(faults, name, ledger)
    rows = sorted(told[line] for line in told.keys() - faults.keys())
    index = np.array([frame for frame, _ in rows], dtype=np.int64)
    matrix = np.array([values for _, values in rows]).reshape(-1, len(columns))
    return Frames(labels, index, matrix, table.read)


def _columns(table: Delimited, known: Mapping[str, str]) -> dict[str, str]:
    """Column -> concept id, in the file's order; only letters and digits of names matter."""
    folded = {fold(name): concept for name, concept in known.items()}
    return {column: folded[column] for column in table.columns if column in folded}


def _fault(kind: str, values: list[float], labels: tuple[str, ...]) -> Fault | None:
    if kind == "step":
        if values[0] in range(len(labels)):
            return None
        return Code.UNKNOWN_LABEL, f"step {values[0]:g} is not in the label map"
    if any(value not in (0, 0.5, 1) for value in values):
        return Code.BAD_VALUE, "a value is neither 0, 1 nor 0.5"
    torn = [label for label, value in zip(labels, values, strict=True) if value == 0.5]
    if torn:
        return Code.CONTRADICTION, f"the annotators disagree about {', '.join(torn)}: not known"
    return None


def _enter(faults: dict[int, Fault], name: str, ledger: Ledger) -> None:
    """Reject lines; successive lines with the same error become one entry."""
    ordered = enumerate(sorted(faults))
    for _, run in groupby(ordered, lambda entry: (entry[1] - entry[0], faults[entry[1]])):
        lines = [line for _, line in run]
        where = f"{name}:{lines[0]}" + (f"-{lines[-1]}" if len(lines) > 1 else "")
        ledger.reject((lines[0],), *faults[lines[0]], where, len(lines))

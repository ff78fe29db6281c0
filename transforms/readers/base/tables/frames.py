"""Tables with one row for every frame or second, as spans and as the table of instruments.

Such files have a hundred thousand lines, so whole columns are converted at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ontology.errors import SourceBroken
from ontology.files import read_text
from ontology.records import UNKNOWN, Code, InstrumentTable, Span
from ontology.times import SECOND_US, frame_to_us, print_seconds, round_half_up
from transforms.readers.base.delimited import fold
from transforms.readers.base.frame_rows import FrameRows, read_frame_rows
from transforms.readers.base.intervals import sorted_spans
from transforms.readers.base.ledger import Ledger
from transforms.readers.base.moments import clock
from transforms.readers.base.table import InstrumentRows, instants_of, instrument_table
from transforms.readers.base.tables.build import Built
from transforms.readers.base.tables.plan import END, FRAMES, TablePlan
from transforms.readers.base.words import Mapped, Words

SWITCH = {"0": 0, "1": 1}
POINTER = "frame {frame}, column {row} (that of the frame is 0)"
TOLERANCE_US = SECOND_US
"""Largest difference between the last time of a file and the end of the labels."""

All = Mapping[str, Words | Mapped]


class Raw(NamedTuple):
    """A file that is not parsed yet; ``place`` is its table's number, for the ledger."""

    plan: TablePlan
    data: bytes
    name: str
    place: int


class Frames(NamedTuple):
    """One parsed file; ``step`` is the number of frames from one row to the next."""

    plan: TablePlan
    rows: FrameRows
    step: int


def read_frames(
    raws: Sequence[Raw], words: All, fps: Fraction, ledger: Ledger
) -> tuple[Built, int]:
    """The evidence of all such files of a video, and the number of rows that were read.

    Args:
        fps: rate of the frame numbers.
    """
    files = [_parsed(raw, fps, ledger) for raw in raws if raw.plan.holds == FRAMES]
    spans: list[Span] = []
    table, kept = None, 0
    for file in files:
        if file.plan.flags:
            table, more = _presence(file, words["instrument"], fps, ledger)
            kept += more
        for kind in (kind for kind in file.plan.columns if kind != "instrument"):
            column = _column(file.rows, file.plan.columns[kind])
            found, more = file.rows.spans(kind, fps, words[kind].concept, ledger, column)
            spans += found
            kept += more
    _note_the_shorter(files, ledger)
    end_us = frame_to_us(_end(files), fps) if files else 0
    for raw in (raw for raw in raws if raw.plan.holds == END):
        _compare(raw, files[0].rows.name, end_us, ledger)
    period = max((frame_to_us(file.step, fps) for file in files), default=None)
    built = Built(table, {}, sorted_spans(spans), (), period, end_us, kept)
    return built, sum(file.rows.read for file in files)


def _parsed(raw: Raw, fps: Fraction, ledger: Ledger) -> Frames:
    rows = read_frame_rows(raw.data, raw.name, ledger, raw.place)
    if raw.plan.time.base == "first" and rows.frames.size and rows.frames[0] == 1:
        where = f"{rows.name}:{rows.lines[0]}"
        reason = "the first frame has number 1: frames of this file are counted from 1"
        ledger.repair((raw.place, int(rows.lines[0])), Code.BAD_FRAME, reason, where)
        rows = rows.shifted(1)
    every = raw.plan.every or 1 / fps
    return Frames(raw.plan, rows, max(1, round_half_up(every * fps)))


def _last(file: Frames) -> int:
    """The last frame, -1 where no row can be used."""
    return int(file.rows.frames[-1]) if file.rows.frames.size else -1


def _end(files: Sequence[Frames]) -> int:
    """Number of frames that are known; the last row of a file stands for one step.

    If a file has a row for every frame, it tells the end more exactly than one with few.
    """
    known = [file for file in files if file.rows.frames.size]
    step = min(file.step for file in known) if known else max((f.step for f in files), default=1)
    return max((_last(file) for file in known), default=0) + step


def _note_the_shorter(files: Sequence[Frames], ledger: Ledger) -> None:
    """Record that a file ends early; whether it was cut off cannot be known."""
    longest = max(files, key=_last, default=None)
    for file in files:
        slack = file.step if file.step > 1 else 0
        if longest and 0 <= _last(file) < _last(longest) - slack:
            line = int(file.rows.lines[-1])
            reason = (f"the last frame is {_last(file)}, but {longest.rows.name} goes on to "
                      f"{_last(longest)}")  # fmt: skip
            at, where = (file.rows.place, line), f"{file.rows.name}:{line}"
            ledger.repair(at, Code.INCOMPLETE_INSTANT, reason, where)


def _presence(
    file: Frames, words: Words | Mapped, fps: Fraction, ledger: Ledger
) -> tuple[InstrumentTable, int]:
    """The instruments in view at each instant, and the number of rows that are kept.

    Raises:
        SourceBroken: a column is not an instrument of the dataset.
    """
    rows = file.rows
    concepts = [_concept(rows, column, words) for column in rows.columns]
    labels = sorted(concepts)
    values = np.stack([
        np.array([SWITCH.get(word, UNKNOWN) for word in cells], dtype=np.int64)[codes]
        for cells, codes in zip(rows.words, rows.codes, strict=True)
    ])  # fmt: skip
    good = (values != UNKNOWN).all(axis=0)
    for at in np.flatnonzero(~good).tolist():
        line, column = int(rows.lines[at]), int(np.argmin(values[:, at]))
        cell = rows.words[column][int(rows.codes[column][at])]
        reason = f"{rows.columns[column]} is {cell[:40]!r} and not 0 or 1"
        ledger.reject((rows.place, line), Code.BAD_VALUE, reason, f"{rows.name}:{line}")
    sample, tool = np.nonzero(values[:, good].T)
    code = np.array([labels.index(concept) for concept in concepts])
    present = InstrumentRows(
        sample, code[tool], np.full((sample.size, 4), np.nan), np.ones(sample.size),
        np.full(sample.size, UNKNOWN), tool + 1,
    )  # fmt: skip
    frames = rows.frames[good]
    pointer = file.plan.pointer or POINTER
    table = instrument_table(instants_of(frames, fps), frames, present, labels, (), pointer)
    return table, int(good.sum())


def _column(rows: FrameRows, name: str) -> int:
    folded = [fold(column) for column in rows.columns]
    if fold(name) in folded:
        return folded.index(fold(name))
    raise SourceBroken(
        f"{rows.name} lacks a column", expected=name, found=", ".join(rows.columns),
        where=f"{rows.name}:1", fix="download the file again",
    )  # fmt: skip


def _concept(rows: FrameRows, column: str, words: Words | Mapped) -> str:
    concept = words.concept(column)
    if isinstance(concept, str):
        return concept
    raise SourceBroken(
        f"{rows.name} has a column that is not an instrument of the dataset",
        expected=", ".join(words.spelled), found=column, where=f"{rows.name}:1",
        fix="download the file again",
    )  # fmt: skip


def _compare(raw: Raw, labels: str, end_us: int, ledger: Ledger) -> None:
    """Note that the last time of a file is not where the labels end."""
    text = read_text(raw.data, raw.name)
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    number, line = lines[-1] if lines else (1, "")
    cells = line.split()
    time = clock(cells[0]) if len(cells) > 1 else None
    if time is None:
        reason = f"the last line is {line[:40]!r} and not a time and a label"
    elif abs(round_half_up(time * SECOND_US) - end_us) <= TOLERANCE_US:
        return
    else:
        told, end = (print_seconds(t, 2) for t in (round_half_up(time * SECOND_US), end_us))
        reason = f"the last time is {told} s, but the frames of {labels} end at {end} s"
    where = f"{raw.name}:{number}"
    ledger.repair((raw.place, number), Code.INCOMPLETE_INSTANT, reason, where)

"""Tables with one row for every frame or second, as spans and as the table of instruments.

Such files have a hundred thousand lines, so whole columns are converted at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from surgqa.ontology.errors import ColumnMissing, SourceBroken
from surgqa.ontology.files import read_text
from surgqa.ontology.records import UNKNOWN, Code, InstrumentTable, Span
from surgqa.ontology.times import SECOND_US, frame_to_us, period_us, print_seconds, round_half_up
from surgqa.transforms.readers.base.delimited import fold, whole_number
from surgqa.transforms.readers.base.frame_rows import FrameRows, read_frame_rows
from surgqa.transforms.readers.base.intervals import sorted_spans
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.moments import EITHER, FIRST, clock
from surgqa.transforms.readers.base.objects import PlacedThings, Thing, table_of_things
from surgqa.transforms.readers.base.patterns import literal
from surgqa.transforms.readers.base.table import instants_of, spans_of
from surgqa.transforms.readers.base.tables.build import Built
from surgqa.transforms.readers.base.tables.plan import TablePlan
from surgqa.transforms.readers.base.tables.sorts import END, FRAMES
from surgqa.transforms.readers.base.words import AllWords, KindWords, Mapped

KNOWN = "known"
"""Value of ``flags``: the columns named after a label are read, and others are allowed."""
SWITCH: Mapping[int | None, int] = {0: 0, 1: 1}
POINTER = "frame {frame}, column {row} (that of the frame is 0)"
TOLERANCE_US = SECOND_US
"""Largest difference between the last time of a file and the end of the labels."""


class Raw(NamedTuple):
    """A file that is not parsed yet; the ledger sorts by ``place``, the number of the table."""

    plan: TablePlan
    data: bytes
    name: str
    place: int


class ParsedFrames(NamedTuple):
    """One parsed file; ``step`` is the number of frames from one row to the next."""

    plan: TablePlan
    rows: FrameRows
    step: int


def read_frames(
    raws: Sequence[Raw], words: AllWords, fps: Fraction, ledger: Ledger
) -> tuple[Built, int]:
    """Return the evidence of all such files of a video, and the number of rows that were read.

    Args:
        fps: rate of the frame numbers.
    """
    files = _from_zero([_parsed(raw, fps, ledger) for raw in raws if raw.plan.holds == FRAMES],
                       ledger)  # fmt: skip
    _note_the_shorter(files, ledger)
    spans: list[Span] = []
    table, kept = None, 0
    flags = _agreeing([_flags(file, words, ledger) for file in files if file.plan.flags], ledger)
    for one in flags:
        kept += one.rows.frames.size
        if one.kind == "instrument":
            table = _presence(one, fps)
        else:
            spans += _runs(one, fps)
    for file in files:
        for kind, name in file.plan.columns.items():
            column = _column(file.rows, name)
            found, more = file.rows.spans(
                kind, fps, partial(_meaning, words[kind]), ledger, column, file.plan.pointer
            )
            spans += found
            kept += more
    end_us = frame_to_us(_end(files), fps) if files else 0
    for raw in (raw for raw in raws if raw.plan.holds == END):
        _compare(raw, files[0].rows.name, end_us, ledger)
    period = max((frame_to_us(file.step, fps) for file in files), default=None)
    built = Built(table, {}, sorted_spans(spans), (), period, end_us, kept)
    return built, sum(file.rows.read for file in files)


def _meaning(words: KindWords | Mapped, cell: str) -> str | tuple[Code, str]:
    """Return the concept of a cell; a whole number may be written as a decimal."""
    number = whole_number(cell)
    return words.concept(cell if number is None else str(number))


def _parsed(raw: Raw, fps: Fraction, ledger: Ledger) -> ParsedFrames:
    rows = read_frame_rows(raw.data, raw.name, ledger, raw.place, raw.plan.names)
    rows = _from_base(raw, rows, ledger)
    every = raw.plan.every or 1 / fps
    return ParsedFrames(raw.plan, rows, max(1, round_half_up(every * fps)))


def _from_base(raw: Raw, rows: FrameRows, ledger: Ledger) -> FrameRows:
    """Return the rows; frames before the first valid number and a cut last line are rejected."""
    base, good = raw.plan.time.base, np.ones(rows.frames.size, dtype=bool)
    if isinstance(base, int):
        for at in np.flatnonzero(rows.frames < base).tolist():
            good[at], where = False, f"{rows.name}:{rows.lines[at]}"
            reason = f"frame {rows.frames[at]} comes before the first one, {base}"
            ledger.reject((rows.place, int(rows.lines[at])), Code.BAD_FRAME, reason, where)
    if raw.plan.line_end and rows.lines.size and not raw.data.endswith(b"\n"):
        last = int(np.argmax(rows.lines))
        if good[last] and rows.lines[last] == raw.data.rstrip().count(b"\n") + 1:
            good[last], line = False, int(rows.lines[last])
            reason = "the last line has no end, so it may be cut short"
            ledger.reject((rows.place, line), Code.BAD_ROW, reason, f"{rows.name}:{line}")
    return rows.only(good)


def _known(rows: FrameRows, words: KindWords | Mapped) -> FrameRows:
    """Return the columns that are named after labels. All of these columns must exist.

    Raises:
        SourceBroken: a column is missing.
    """
    folded = {fold(column): place for place, column in enumerate(rows.columns)}
    lacking = [word for word in words.spelled if fold(word) not in folded]
    if lacking:
        raise ColumnMissing(
            f"{rows.name} lacks the column {lacking[0]}", expected=", ".join(words.spelled),
            found=", ".join(rows.columns), where=f"{rows.name}:1", fix="download the file again",
        )  # fmt: skip
    names = {folded[fold(word)]: word for word in words.spelled}
    at = sorted(names)
    return replace(
        rows, columns=tuple(names[n] for n in at), words=tuple(rows.words[n] for n in at),
        codes=tuple(rows.codes[n] for n in at),
    )  # fmt: skip


def _from_zero(files: Sequence[ParsedFrames], ledger: Ledger) -> list[ParsedFrames]:
    """Return the files with frames counted from 0.

    If the plan leaves open whether files count from 0 or 1, they count from 1 if their smallest
    frame number is 1.
    """
    firsts = [int(file.rows.frames[0]) for file in files if file.rows.frames.size]
    out = []
    for file in files:
        base, rows = file.plan.time.base, file.rows
        if base in (FIRST, EITHER):
            base = int(min(firsts, default=0) == 1)
        if file.plan.time.base == FIRST and base:
            line = int(rows.lines[0])
            reason = "the first frame has number 1: frames of this file are counted from 1"
            ledger.repair((rows.place, line), Code.BAD_FRAME, reason, f"{rows.name}:{line}")
        out.append(file._replace(rows=rows.shifted(int(base)) if base else rows))
    return out


def _last(file: ParsedFrames) -> int:
    """Return the last frame, -1 if no row can be used."""
    return int(file.rows.frames[-1]) if file.rows.frames.size else -1


def _end(files: Sequence[ParsedFrames]) -> int:
    """Return the number of known frames; the last row of a file represents one step.

    A file with a row for every frame states the end more exactly than a file with fewer rows.
    """
    known = [file for file in files if file.rows.frames.size]
    step = min(file.step for file in known) if known else max((f.step for f in files), default=1)
    return max((_last(file) for file in known), default=0) + step


def _note_the_shorter(files: Sequence[ParsedFrames], ledger: Ledger) -> None:
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


class Flags(NamedTuple):
    """The usable rows of a file with a column of 0 and 1 for each label.

    Attributes:
        concepts: concepts of each column; '' for a column that must be 0.
        subjects: the acting person of each column; '' if the columns do not state it.
        values: int64 (columns, frames).
    """

    kind: str
    plan: TablePlan
    rows: FrameRows
    concepts: tuple[str, ...]
    subjects: tuple[str, ...]
    values: np.ndarray

    def only(self, good: np.ndarray) -> Flags:
        """Return the rows where bool (frames,) is true."""
        return self._replace(rows=self.rows.only(good), values=self.values[:, good])


def _flags(file: ParsedFrames, words: AllWords, ledger: Ledger) -> Flags:
    """Return the rows whose used columns contain only 0 and 1; other rows are rejected.

    Raises:
        SourceBroken: the file names a column that is not a label of the dataset.
    """
    rows, kind = file.rows, next(iter(file.plan.flags))
    if file.plan.flags[kind] == (KNOWN,):
        rows = _known(rows, words[kind])
    named = [column.rpartition(":") for column in rows.columns]
    found = [words[kind].concept(word) for _, _, word in named]
    for column, concept in zip(rows.columns, found, strict=True):
        if not isinstance(concept, str) and not file.plan.names:
            raise SourceBroken(
                f"{rows.name} has a column that is not an {kind} of the dataset",
                expected=", ".join(words[kind].spelled), found=column, where=f"{rows.name}:1",
                fix="download the file again",
            )  # fmt: skip
    if not rows.columns:
        raise ColumnMissing(
            f"{rows.name} has no column of a label", expected=", ".join(words[kind].spelled),
            found="the numbers of frames alone", where=f"{rows.name}:1",
            fix="download the file again, or correct the mapping",
        )  # fmt: skip
    values = _switches(rows)
    values, torn = _settled(rows, values, file.plan.unsure)
    good = (values != UNKNOWN).all(axis=0)
    for at in np.flatnonzero(~good).tolist():
        line, number = int(rows.lines[at]), int(np.argmin(values[:, at]))
        cell = rows.words[number][int(rows.codes[number][at])]
        reason = f"{rows.columns[number]} is {cell[:40]!r} and not 0 or 1"
        ledger.reject((rows.place, line), Code.BAD_VALUE, reason, f"{rows.name}:{line}")
    concepts = tuple(one if isinstance(one, str) else "" for one in found)
    every = Flags(kind, file.plan, rows, concepts, tuple(who for who, _, _ in named), values)
    whole = every.only(good)
    if torn.any():
        columns = [rows.columns[n] for n in np.flatnonzero(torn.any(axis=1)).tolist()]
        reason = f"the annotators disagree about {', '.join(columns)}: not known"
        wrong = np.asarray(torn.any(axis=0))[good]
        whole = _without(whole, wrong, Code.CONTRADICTION, reason, ledger)
    odd = [number for number, concept in enumerate(concepts) if not concept]
    wrong = np.asarray(whole.values[odd].any(axis=0))
    shown = ", ".join(rows.columns[number] for number in odd[:3])
    reason = f"{kind} {shown} or the like is not in the label map"
    return _without(whole, wrong, Code.UNKNOWN_LABEL, reason, ledger)


def _settled(rows: FrameRows, values: np.ndarray, unsure: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the values, with 0 for ``unsure`` cells; and bool (columns, frames), True there."""
    torn = np.stack([
        np.array([bool(unsure) and word == unsure for word in cells], dtype=bool)[codes]
        for cells, codes in zip(rows.words, rows.codes, strict=True)
    ])  # fmt: skip
    return np.where(torn, 0, values), torn


def _switches(rows: FrameRows) -> np.ndarray:
    """Return int64 (columns, frames), 0, 1, or UNKNOWN where a cell is neither."""
    return np.stack([
        np.array([SWITCH.get(whole_number(word), UNKNOWN) for word in cells], dtype=np.int64)[codes]
        for cells, codes in zip(rows.words, rows.codes, strict=True)
    ])  # fmt: skip


def _without(one: Flags, wrong: np.ndarray, code: Code, reason: str, ledger: Ledger) -> Flags:
    """Return the rows that are not ``wrong``, bool (frames,); one entry rejects all others."""
    if wrong.any():
        line = int(one.rows.lines[wrong].min())
        where = f"{one.rows.name}:{line}"
        ledger.reject((one.rows.place, line), code, reason, where, int(wrong.sum()))
    return one.only(~wrong)


def _agreeing(flags: Sequence[Flags], ledger: Ledger) -> list[Flags]:
    """Return only the frames in which a file agrees with the file for all subjects together.

    For example, the actions of left hand, right hand and assistant must together be the actions
    in the file that does not distinguish these subjects.
    """
    known = {one.plan.name: one for one in flags}
    out = []
    for one in flags:
        other = known.get(one.plan.agrees)
        if other:
            _, mine, theirs = np.intersect1d(
                one.rows.frames, other.rows.frames, return_indices=True
            )
            wrong = np.zeros(one.rows.frames.size, dtype=bool)
            for concept, said in zip(other.concepts, other.values, strict=True):
                same = [number for number, name in enumerate(one.concepts) if name == concept]
                wrong[mine] |= one.values[same][:, mine].max(axis=0) != said[theirs]
            reason = f"what they do together is not what the file of {one.plan.agrees} says"
            one = _without(one, wrong, Code.CONTRADICTION, reason, ledger)
        out.append(one)
    return out


def _runs(one: Flags, fps: Fraction) -> list[Span]:
    """Return, for each column, a span for each run of frames with a 1."""
    times, name = instants_of(one.rows.frames, fps), one.rows.name
    return [
        replace(span, subject=subject)
        for concept, subject, values in zip(one.concepts, one.subjects, one.values, strict=True)
        for span in spans_of(
            one.kind, times, np.where(values > 0, 0, UNKNOWN), [concept], period_us(fps), name,
            one.rows.at,
        )
    ]  # fmt: skip


def _presence(one: Flags, fps: Fraction) -> InstrumentTable:
    """Return the instruments in view at each instant."""
    sample, column = np.nonzero(one.values.T)
    things = PlacedThings(
        [Thing(0, concept) for concept in one.concepts], column, sample,
        np.full((sample.size, 4), np.nan), np.ones(sample.size),
        column + (not one.plan.pointer),
    )  # fmt: skip
    pointer = one.plan.pointer.replace("{file}", literal(one.rows.name)) or POINTER
    frames, labels = one.rows.frames, sorted({*one.concepts} - {""})
    return table_of_things(instants_of(frames, fps), frames, things, labels, pointer)


def _column(rows: FrameRows, name: str) -> int:
    folded = [fold(column) for column in rows.columns]
    if fold(name) in folded:
        return folded.index(fold(name))
    raise ColumnMissing(
        f"{rows.name} lacks a column", expected=name, found=", ".join(rows.columns),
        where=f"{rows.name}:1", fix="download the file again",
    )  # fmt: skip


def _compare(raw: Raw, labels: str, end_us: int, ledger: Ledger) -> None:
    """Record in the ledger if the last time in a file is not the end of the labels."""
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
        last, end = (print_seconds(t, 2) for t in (round_half_up(time * SECOND_US), end_us))
        reason = f"the last time is {last} s, but the frames of {labels} end at {end} s"
    where = f"{raw.name}:{number}"
    ledger.repair((raw.place, number), Code.INCOMPLETE_INSTANT, reason, where)

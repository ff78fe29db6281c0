"""Read the rows of a user's table by the plan: one entry for each label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from surgqa.ontology.boxes import Box
from surgqa.ontology.errors import SourceBroken, UserError
from surgqa.ontology.files import empty_file
from surgqa.ontology.ratings import rating
from surgqa.ontology.records import Code, Pair, Span
from surgqa.ontology.times import SECOND_US, print_seconds
from surgqa.transforms.readers.base.delimited import number
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.patterns import match_end
from surgqa.transforms.readers.base.tables.flags import SCORED, applies, refused, torn_totals
from surgqa.transforms.readers.base.tables.grid import ParsedTable
from surgqa.transforms.readers.base.tables.lines import LinePlace, LineWords, box_of, rows_of
from surgqa.transforms.readers.base.tables.plan import TablePlan
from surgqa.transforms.readers.base.tables.sorts import BOXES
from surgqa.transforms.readers.base.words import AllWords, fold

LATEST = 10_000_000
"""Seconds, about four months: no recording lasts that long."""


@dataclass(frozen=True, slots=True)
class LabelEntry:
    """One label of one row.

    Attributes:
        at: (table, line, cell), by which the ledger sorts.
        time, end: start and end in seconds. None if the label has no time, or (``end``) if it ends
            with the next row.
        pointer: place in the file, as the evidence stores it.
        where: ``file:line``, for messages.
        track: the source's name of the track, '' without one.
    """

    kind: str
    concept: str
    at: tuple[int, int, int]
    where: str
    source: str
    pointer: str
    time: Fraction | None = None
    end: Fraction | None = None
    value: float | None = None
    rater: str = ""
    subject: str = ""
    box: Box | None = None
    pair: Pair | None = None
    track: str = ""
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class RowSource:
    """A row's time in seconds, its annotator, its line, and its place as in LabelEntry."""

    time: Fraction
    rater: str
    line: int
    pointer: str


@dataclass(slots=True)
class TableRows:
    """The contents of one table about one video.

    Attributes:
        looked: every row with a time, including rows that state that nothing is in view.
        read: number of labels, plus the number of rows without a label.
        idle: number of rows without a label: they state that nothing is in view.
        unread: lines of rows whose time can't be read.
    """

    table: TablePlan
    source: str
    entries: list[LabelEntry] = field(default_factory=list)
    looked: list[RowSource] = field(default_factory=list)
    read: int = 0
    idle: int = 0
    unread: list[int] = field(default_factory=list)


def table_rows(
    plan: TablePlan,
    grid: ParsedTable,
    place: int,
    video_id: str,
    meaning: LineWords,
    ledger: Ledger,
) -> TableRows:
    """Read all rows of one video; the ledger sorts by ``place``, the number of the table."""
    rows = TableRows(plan, grid.name)
    if plan.one_row:
        _read_only_row(grid, place, meaning, ledger, rows)
        return rows
    if not plan.shared:
        rows.read += len(grid.bad)
        for line, reason in grid.bad:
            ledger.reject((place, line, 0), Code.BAD_ROW, reason, grid.place(line))
    found = rows_of(plan, grid, video_id)
    again = _repeated(found, meaning)
    for row in found:
        if plan.line_end and row.line == grid.cut:
            rows.read += 1
            reason = "the last line has no end: the file is cut short"
            ledger.reject((place, row.line, 0), Code.BAD_ROW, reason, grid.place(row.line))
        else:
            _read_row(row, place, meaning, ledger, rows, again)
    return rows


def _repeated(rows: Sequence[LinePlace], meaning: LineWords) -> set[int]:
    """Return the lines of a table of flags about the same frame, rater, subject and track.

    Such a line states everything that is present, so several lines may contradict each other.
    """
    lines = defaultdict(list)
    for row in rows:
        if set(row.plan.flags) - {*SCORED}:
            time, _, problem = _times(row, meaning)
            if not problem:
                frame = None if time is None else meaning.timing.frame(time)
                lines[frame, *map(row.text, ("rater", "subject", "track"))].append(row.line)
    return {line for some in lines.values() if len(some) > 1 for line in some}


def _read_only_row(
    grid: ParsedTable, place: int, meaning: LineWords, ledger: Ledger, rows: TableRows
) -> None:
    """Read a file that must have one row; the row is left out if any of its labels is invalid.

    Raises:
        SourceBroken: the file is empty.
    """
    lines = sorted([*(line for line, _ in grid.rows), *(line for line, _ in grid.bad)])
    if not lines:
        raise empty_file(grid.name, "one row")
    rows.read = len(lines)
    tried, inner = Ledger(ledger.key, ledger.unit), TableRows(rows.table, rows.source)
    if len(lines) > 1:
        reason = f"{len(lines)} rows stand where one belongs"
        tried.reject((place, lines[0], 0), Code.BAD_ROW, reason, grid.place(lines[0]))
    for line, reason in grid.bad:
        tried.reject((place, line, 0), Code.BAD_ROW, reason, grid.place(line))
    for line, cells in grid.rows:
        if not all(cells):
            reason = "a cell of the only row is empty"
            tried.reject((place, line, 0), Code.BAD_ROW, reason, grid.place(line))
        _read_row(LinePlace(grid, rows.table, line, cells), place, meaning, tried, inner)
    if tried.entries():
        first = tried.entries()[0]
        ledger.reject((place, lines[0], 0), first.code, first.reason, first.where, len(lines))
    else:
        rows.entries = inner.entries
        rows.idle = 1 - len(inner.entries)


def placed(rows: TableRows, spans: Iterable[Span], ledger: Ledger) -> TableRows:
    """Return labels with the time of other spans, if the plan of their table has ``during``.

    For example, a score of a phase gets the time from the phase's first start to its last end.
    """
    mine = [span for span in spans if (span.kind, span.label) == rows.table.during]
    if rows.table.during is None or not rows.entries:
        return rows
    if not mine:
        at, where = rows.entries[0].at, rows.entries[0].where
        reason = f"no time of {rows.table.during[1]} is known, in which the labels hold"
        ledger.reject(at, Code.BAD_TIME, reason, where, len(rows.entries) + rows.idle)
        return TableRows(rows.table, rows.source, read=rows.read)
    times = min(span.start_us for span in mine), max(span.end_us for span in mine)
    start, end = (Fraction(time, SECOND_US) for time in times)
    rows.entries = [replace(entry, time=start, end=end) for entry in rows.entries]
    return rows


def _read_row(
    row: LinePlace, place: int, meaning: LineWords, ledger: Ledger, rows: TableRows,
    again: Collection[int] = (),
) -> None:  # fmt: skip
    labels = list(_labels(row, meaning))
    units = max(len(labels), 1)
    rows.read += units
    where, rater = row.grid.place(row.line), row.text("rater")
    time, end, problem = _times(row, meaning)
    wrong = (Code.BAD_TIME, problem) if problem else refused(row, again)
    if wrong:
        ledger.reject((place, row.line, 0), *wrong, where, units)
        if problem and time is None:
            rows.unread.append(row.line)
        return
    if time is not None:
        rows.looked.append(RowSource(time, rater, row.line, _pointer(row, 0)))
    if not labels:
        rows.idle += 1
        return
    shared: dict[str, Any] = {
        "source": rows.source,
        "where": where,
        "time": time,
        "end": end,
        "rater": rater,
        "subject": _subject(row, meaning),
        "track": row.text("track"),
    }
    rows.entries += _entries(row, place, labels, shared, meaning, ledger)


def _entries(
    row: LinePlace, place: int, labels: Sequence[tuple[str, str, str]], shared: dict[str, Any],
    meaning: LineWords, ledger: Ledger,
) -> Iterator[LabelEntry]:  # fmt: skip
    """Yield one entry for each usable label of a row; other labels are recorded in the ledger."""
    torn = torn_totals(row, labels)
    for cell, (kind, word, score) in enumerate(labels):
        at = (place, row.line, cell)
        concept = meaning.words[kind].concept(word)
        if isinstance(concept, tuple):
            ledger.reject(at, *concept, shared["where"])
            continue
        value, problem = _value(row, kind, concept, score)
        if problem:
            ledger.reject(at, Code.BAD_VALUE, problem, shared["where"])
            continue
        if word in torn:
            ledger.reject(at, Code.CONTRADICTION, torn[word], shared["where"])
            continue
        more = _instance(row, at, shared["where"], kind, meaning, ledger)
        pointer = _pointer(row, cell)
        yield LabelEntry(kind, concept, at, value=value, pointer=pointer, **shared, **more)


def _pointer(row: LinePlace, cell: int) -> str:
    """Return the place of a row's label, as the evidence stores it."""
    if not row.plan.pointer:
        return row.grid.place(row.line)
    return row.plan.pointer.format(line=row.line, list=row.plan.list, column=cell + 1)


def _owner(row: LinePlace, kind: str, text: str, meaning: LineWords) -> bool:
    """True if a word in the column of a kind is a label of this kind.

    If kinds share the column, a word belongs to the first that lists it, else to the first.
    """
    columns = row.plan.columns
    shared = [one for one in row.plan.kinds() if columns.get(one) == columns.get(kind)]
    known = [one for one in shared if meaning.words[one].known(text) is not None]
    return kind not in columns or kind == (known or shared)[0]


def _labels(row: LinePlace, meaning: LineWords) -> Iterator[tuple[str, str, str]]:
    """Return (kind, word, text of the score or '') of every label of a row."""
    plan = row.plan
    for kind in plan.kinds():
        text = row.text(kind)
        if not _owner(row, kind, text, meaning):
            continue
        words = text.split(plan.separator) if plan.separator else [text]
        for word in words:
            if word.strip():
                yield kind, word.strip(), row.text("value")
        for column in plan.flags.get(kind, ()):
            cell = row.cell(column) if kind in SCORED else ""
            if cell or kind not in SCORED and applies(row, column) is not False:
                yield kind, column, cell


def _times(row: LinePlace, meaning: LineWords) -> tuple[Fraction | None, Fraction | None, str]:
    """Return start and end in seconds, or None; and what is wrong with them, or ''."""
    plan = row.plan
    if not plan.timed:
        return None, None, ""
    role = next(role for role in ("at", "picture", "start") if role in plan.columns)
    text = row.text(role)
    if role == "picture" and plan.picture:
        text = (match_end(plan.picture.text, text) or {}).get("frame", text)
    scale, unit = plan.time, plan.time.unit.replace("clock", "HH:MM:SS")
    plain = str if scale.unit == "clock" else row.plain
    time = scale.at(plain(text), meaning.timing.fps)
    if time is None or not 0 <= time < LATEST:
        return None, None, f"{role} {text!r} is not a time in {unit} from {scale.base}"
    length = meaning.timing.duration_us
    if length is not None and time * SECOND_US >= length:
        shown = print_seconds(length, 2)
        return time, None, f"{role} {text!r} is not before the recording's end at {shown} s"
    if "end" not in plan.columns:
        return time, None, ""
    ends = row.text("end")
    end = scale.end(plain(ends), meaning.timing.fps)
    if end is None or end >= LATEST:
        return time, None, f"end {ends!r} is not a time in {unit}"
    return time, end, ""


def _subject(row: LinePlace, meaning: LineWords) -> str:
    text = row.text("subject")
    known = meaning.words["instrument"].known(text) if "instrument" in meaning.words else None
    return known if isinstance(known, str) else fold(text).replace(" ", "_")


def _value(row: LinePlace, kind: str, concept: str, text: str) -> tuple[float | None, str]:
    """Return the score of a rating or count (None for other labels), and what is wrong with it."""
    plan = row.plan
    value = number(row.plain(text))
    if kind not in SCORED and not text:
        return None, ""
    if value is None:
        return None, f"{concept} has the value {text!r}, which is not a number"
    if kind != "rating":
        return value if "value" in plan.columns or kind in SCORED else None, ""
    low, high = plan.scale or _range(concept)
    if plan.one_row and not value.is_integer():
        return None, f"{concept} has {value:g}, which is not a whole number"
    if not low <= value <= high:
        return None, f"{concept} has {value:g}, which is not on the scale from {low:g} to {high:g}"
    return value, ""


def _range(concept: str) -> tuple[float, float]:
    try:
        known = rating(concept)
    except UserError:
        return float("-inf"), float("inf")
    return known.low, known.high


def _instance(
    row: LinePlace,
    at: tuple[int, int, int],
    where: str,
    kind: str,
    meaning: LineWords,
    ledger: Ledger,
) -> dict[str, Any]:
    """Return the box and its score, or the pair of an instrument, if the table states them."""
    more: dict[str, Any] = {}
    if row.plan.holds == BOXES:
        box, problem = box_of(row, meaning)
        if problem:
            ledger.repair(at, Code.BAD_BOX, problem, where)
        score = row.number("score")
        more |= {"box": box, "score": 1.0 if score is None else score}
    if kind == "instrument" and "verb" in row.plan.columns:
        pair, problem = _pair(row, meaning)
        if problem:
            ledger.repair(at, Code.UNKNOWN_LABEL, problem, where)
        more["pair"] = pair
    return more


def _pair(row: LinePlace, meaning: LineWords) -> tuple[Pair | None, str]:
    texts = row.text("verb"), row.text("target")
    if not any(texts):
        return None, ""
    found = [meaning.words[kind].concept(text) for kind, text in
             zip(("verb", "target"), texts, strict=True)]  # fmt: skip
    verb, target = found
    if isinstance(verb, str) and isinstance(target, str):
        return (verb, target), ""
    reasons = [one[1] for one in found if isinstance(one, tuple)]
    return None, f"only the instrument is kept: {'; '.join(reasons)}"


def folder_rows(
    plan: TablePlan, place: int, found: Sequence[tuple[str, Mapping[str, str]]],
    words: AllWords, ledger: Ledger,
) -> TableRows:  # fmt: skip
    """Return the labels that the names of a clip's folders state.

    Args:
        found: the clip's paths, with the values of their placeholders.

    Raises:
        SourceBroken: several clips have one name.
    """
    name, values = found[0]
    if len(found) > 1:
        raise SourceBroken(
            f"two clips are called {values['video']}", expected="a different name for every clip",
            found=", ".join(path for path, _ in found), where=f"{name}:1", fix="rename one of them",
        )  # fmt: skip
    rows = TableRows(plan, name, read=len(plan.kinds()))
    for cell, kind in enumerate(plan.kinds()):
        concept = words[kind].concept(values[kind])
        at = (place, 0, cell)
        if isinstance(concept, tuple):
            ledger.reject(at, *concept, name)
        else:
            rows.entries.append(LabelEntry(kind, concept, at, name, name, name))
    return rows

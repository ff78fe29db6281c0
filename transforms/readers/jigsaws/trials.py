"""Parse both kinds of text files: ratings of all trials of a task, and gestures of one trial."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ontology.errors import SourceBroken
from ontology.ratings import rating
from ontology.records import Code, Source, Span, VideoLabel
from ontology.times import frame_to_us
from transforms.readers.base import (
    BLANKS,
    Claimed,
    Ledger,
    Row,
    checked_spans,
    concept_of,
    read_delimited,
    whole_number,
)

FPS = Fraction(30)
ITEMS = (
    "respect for tissue", "suture/needle handling", "time and motion", "flow of operation",
    "overall performance", "quality of final product",
)  # fmt: skip
SCORES = ("total", *ITEMS)
LABELS_A_ROW = 1 + len(SCORES)
Known = Mapping[str, Mapping[str, Any]]


def trials_of(data: bytes, name: str) -> dict[str, Row]:
    """The rows of a meta file, by trial.

    Raises:
        SourceBroken: a line does not have nine fields, or a trial has two lines.
    """
    table = read_delimited(
        data, name, (), delimiter=BLANKS, header=("trial", "level", *map(str, range(len(SCORES))))
    )
    table.refuse_bad()
    rows: dict[str, Row] = {}
    for row in table.rows:
        if row["trial"] in rows:
            raise SourceBroken(
                f"{name} contains a trial twice", found=row["trial"], where=table.place(row)
            )
        rows[row["trial"]] = row
    return rows


def labels_of(row: Row, source: Source, known: Known, ledger: Ledger) -> tuple[VideoLabel, ...]:
    """A trial's level, total and items; each invalid one is rejected."""
    where, place = f"{source.path}:{row.line}", (source.path, f"line {row.line}")
    out = []
    level = concept_of("experience", row["level"], known)
    if isinstance(level, tuple):
        ledger.reject((0, 0), *level, where)
    else:
        out.append(VideoLabel("experience", level, None, "", *place))
    values = [whole_number(row[str(column)]) for column in range(len(SCORES))]
    total, items = values[0], [value for value in values[1:] if value is not None]
    odd = len(items) == len(ITEMS) and total is not None and total != sum(items)
    for column, (score, value) in enumerate(zip(SCORES, values, strict=True)):
        concept = known["rating"][score]
        scale = rating(concept)
        if value is None or not scale.low <= value <= scale.high:
            reason = f"{score} is {row[str(column)]!r:.40}, not {scale.low:g} to {scale.high:g}"
            ledger.reject((0, column + 1), Code.BAD_VALUE, reason, where)
        elif odd:
            reason = f"the total {total} is not the sum {sum(items)} of its items"
            ledger.reject((0, column + 1), Code.CONTRADICTION, reason, where)
        else:
            out.append(VideoLabel("rating", concept, float(value), "", *place))
    return tuple(sorted(out, key=lambda label: (label.kind, label.label)))


def segments_of(
    data: bytes, name: str, known: Known, duration_us: int | None, ledger: Ledger
) -> tuple[tuple[Span, ...], int]:
    """Gestures as half-open intervals, and the number of lines; frame numbers start at 1."""
    table = read_delimited(data, name, (), delimiter=BLANKS, header=("start", "end", "gesture"))
    table.reject_bad(ledger)
    cut_line = 0 if data.endswith(b"\n") else max((r.line for r in table.rows), default=0)
    claimed: list[Claimed] = []
    seen = set()
    for row in table.rows:
        at, where = (1, row.line), table.place(row)
        start, end = whole_number(row["start"]), whole_number(row["end"])
        gesture = concept_of("gesture", row["gesture"], known)
        if row.line == cut_line:
            # A name that is cut off may still be valid: G1 may be the rest of G13.
            ledger.reject(
                at, Code.BAD_ROW, "the last line has no end: the file is cut short", where
            )
        elif isinstance(gesture, tuple):
            ledger.reject(at, *gesture, where)
        elif start is None or end is None:
            ledger.reject(at, Code.BAD_FRAME, "start and end are not two frame numbers", where)
        elif (start, end, gesture) in seen:
            ledger.reject(at, Code.BAD_ROW, "the same segment stands in an earlier line", where)
        else:
            seen.add((start, end, gesture))
            times = frame_to_us(start - 1, FPS), frame_to_us(end, FPS)
            claimed.append(
                Claimed(Span("gesture", gesture, *times, name, f"line {row.line}"), at, where)
            )
    return checked_spans(claimed, ledger, duration_us), table.read

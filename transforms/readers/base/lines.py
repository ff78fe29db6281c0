"""Group lines of a table by video, sort them by a number, and join them to intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.records import Code, Source, Span
from surgqa.transforms.readers.base.delimited import Delimited, DelimitedLine, whole_number
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.table import spans_of

Grouped = Mapping[str, tuple[tuple[DelimitedLine, str], ...]]
"""Video id -> its rows, each with its place in the file."""
LARGEST = 9_999_999


def numbered_rows(
    table: Delimited, column: str, ledger: Ledger, first: int = 0
) -> list[tuple[int, DelimitedLine]]:
    """Return the rows in ascending order of the number in a column; unusable rows are rejected.

    Args:
        column: folded name of the column with the numbers.
        first: the lowest valid number.
    """
    table.reject_bad(ledger)
    by_number: dict[int, list[DelimitedLine]] = {}
    for row in table.rows:
        number = whole_number(row[column])
        if number is None or not first <= number <= LARGEST:
            reason = f"{column} {row[column]!r:.40} is not a whole number from {first} to {LARGEST}"
            ledger.reject((row.line,), Code.BAD_FRAME, reason, table.place(row))
        else:
            by_number.setdefault(number, []).append(row)
    out = []
    for number, rows in sorted(by_number.items()):
        if len(rows) == 1:
            out.append((number, rows[0]))
            continue
        for row in rows:
            reason = f"{column} {number} occurs more than once; none of its rows is used"
            ledger.reject((row.line,), Code.DUPLICATE_FRAME, reason, table.place(row))
    return out


def refuse_empty(table: Delimited, rows: Sequence[object]) -> None:
    """Raise if no row is left, because then not even the video's length is known.

    Raises:
        SourceBroken: no row is left; the error names the file.
    """
    if not rows:
        raise SourceBroken(
            f"{table.name} contains no usable row",
            expected=f"rows of {', '.join(table.columns)}",
            where=f"{table.name}:1",
            fix="download the file again",
        )


def spans_of_rows(
    kind: str, rows: Sequence[tuple[int, DelimitedLine, str]], period_us: int, path: str
) -> tuple[Span, ...]:
    """Return the intervals of consecutive rows with the same label, see :func:`spans_of`.

    Args:
        rows: (time in microseconds, row, concept), in the order of time.
    """
    labels = sorted({label for _, _, label in rows})
    code = {label: place for place, label in enumerate(labels)}
    return spans_of(
        kind,
        np.array([time_us for time_us, _, _ in rows], dtype=np.int64),
        np.array([code[label] for _, _, label in rows], dtype=np.int64),
        labels,
        period_us,
        path,
        lambda first, last: f"lines {rows[first][1].line} to {rows[last][1].line}",
    )


def grouped(
    table: Delimited, video_of: Callable[[DelimitedLine], str | None], expected: str,
    once: bool = False,
) -> Grouped:  # fmt: skip
    """Return the rows by video, in the order of the file, of a table that all videos share.

    Args:
        video_of: returns the id of a row's video, or None if the row belongs to no video.
        expected: what such a row should have named; used in the message.
        once: True if a second row of a video is an error.

    Raises:
        SourceBroken: a line is malformed or belongs to no video; the error names file and line.
    """
    table.refuse_bad()
    found: dict[str, list[tuple[DelimitedLine, str]]] = {}
    for row in table.rows:
        video_id = video_of(row)
        if not video_id or once and video_id in found:
            raise SourceBroken(
                f"{table.name} has a row that belongs to no video",
                expected=expected,
                found=", ".join(row.cells.values()),
                where=table.place(row),
                fix="download the file again, or correct this line",
            )
        found.setdefault(video_id, []).append((row, table.place(row)))
    return {video_id: tuple(rows) for video_id, rows in found.items()}


def no_row(source: Source, video_id: str) -> SourceMissing:
    """Return the error for a video that has no row in the shared table."""
    return SourceMissing(
        f"{source.path} has no row for {video_id}",
        expected=video_id,
        where=f"{source.path}:1",
        fix="download the file again, or leave the video out",
    )

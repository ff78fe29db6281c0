"""Group the rows of a table that all videos share; every row must belong to a video."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Source
from surgqa.transforms.readers.base.delimited import Delimited, DelimitedLine

Grouped = Mapping[str, tuple[tuple[DelimitedLine, str], ...]]
"""Video id -> its rows, each with its place in the file."""


def grouped(
    table: Delimited, video_of: Callable[[DelimitedLine], str | None], expected: str
) -> Grouped:
    """Return the rows by video, in the order of the file.

    Args:
        video_of: returns the id of a row's video, or None if the row belongs to no video.
        expected: what such a row should have named; used in the message.

    Raises:
        SourceBroken: a line is malformed or belongs to no video; names file and line.
    """
    table.refuse_bad()
    found: dict[str, list[tuple[DelimitedLine, str]]] = {}
    for row in table.rows:
        video_id = video_of(row)
        if not video_id:
            raise SourceBroken(
                f"{table.name} has a row that belongs to no video",
                expected=expected,
                found=", ".join(row.cells.values()),
                where=table.place(row),
                fix="get the file again, or mend this line",
            )
        found.setdefault(video_id, []).append((row, table.place(row)))
    return {video_id: tuple(rows) for video_id, rows in found.items()}


def no_row(source: Source, video_id: str) -> SourceBroken:
    """Return the error for a video that has no row in the shared table."""
    return SourceBroken(
        f"{source.path} has no row of {video_id}",
        expected=video_id,
        where=f"{source.path}:1",
        fix="get the file again, or leave the video out",
    )

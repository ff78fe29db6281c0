"""Tables of action clips, CSV or Parquet: video, first frame, last frame or number, action."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surgqa.ontology.action_clips import Clip, VideoClips
from surgqa.ontology.errors import ColumnMissing, SourceBroken, SyntaxBroken, Unsupported
from surgqa.ontology.files import read_bytes
from surgqa.ontology.records import Books, Code
from surgqa.ontology.spreadsheets import csv_rows
from surgqa.transforms.readers.base.beside.imported import (
    ImportedClips,
    ImportLedger,
    action_or_reject,
    in_order,
)

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "video": ("video", "video_id"),
    "start": ("start", "start_frame", "start_s"),
    "end": ("end", "end_frame", "end_s"),
    "frames": ("frames", "duration", "duration_s", "seconds"),
    "action": ("action", "label"),
}
"""Names under which a column may stand; of ``end``, which is included, and ``frames`` one will
do, and where both are given they must agree."""

Cells = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Row:
    where: str
    cells: Cells


def read_clip_table(path: Path | str) -> ImportedClips:
    """Return the clips of a table.

    A row that cannot be used is left out with a reason, and its time stays without a clip.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: the file is no such table, or none of its rows can be used.
        UserError: the file's name ends neither in ``.csv`` nor in ``.parquet``.
    """
    path = Path(path)
    rows = list(_rows(path))
    ledger = ImportLedger()
    by_video: dict[str, list[Clip]] = {}
    for row in rows:
        read = _clip(row, ledger)
        if read is not None:
            by_video.setdefault(read[0], []).append(read[1])
    videos = tuple(
        VideoClips(name, in_order(name, by_video[name], ledger)) for name in sorted(by_video)
    )
    if not videos:
        first = ledger.entries[0] if ledger.entries else None
        raise SourceBroken(
            f"{path.name} has no clip that can be used",
            expected="rows with video, start, end and action",
            found=first.reason if first else "no rows",
            where=first.where if first else str(path),
        )
    kept = sum(len(video.clips) for video in videos)
    books = Books("read", "clips", len(rows), kept, ledger.lost)
    return ImportedClips(videos, tuple(ledger.entries), books)


def _rows(path: Path) -> Iterator[_Row]:
    if path.suffix == ".csv":
        return _csv_rows(path)
    if path.suffix == ".parquet":
        return _parquet_rows(path)
    raise Unsupported(
        f"{path.name} is no table of clips",
        expected="a name that ends in .csv or .parquet",
        found=path.suffix or "no ending",
        where=str(path),
        fix="save the table as CSV; the predecessor's JSON is read by another import",
    )


def _csv_rows(path: Path) -> Iterator[_Row]:
    rows = csv_rows(path)
    place = _places(next(rows, (1, []))[1], path)
    for line, cells in rows:
        if any(cell.strip() for cell in cells):
            taken = {n: cells[k].strip() for n, k in place.items() if k < len(cells)}
            yield _Row(f"{path}:{line}", taken)


def _parquet_rows(path: Path) -> Iterator[_Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = read_bytes(path, str(path))
    try:
        table = pq.read_table(pa.BufferReader(data))
        names = table.column_names  # ValueError: a name that is no UTF-8 text
        columns_read = [column.to_pylist() for column in table.columns]
    except (pa.ArrowException, OSError, ValueError) as error:
        raise SyntaxBroken(
            f"{path.name} cannot be read as Parquet", found=str(error).split("\n")[0],
            where=str(path), fix="write the table again",
        ) from None  # fmt: skip
    place = _places(names, path)
    columns = {name: columns_read[k] for name, k in place.items()}
    for number in range(table.num_rows):
        yield _Row(f"{path}: row {number + 1}", {n: c[number] for n, c in columns.items()})


def _places(header: Sequence[str], path: Path) -> dict[str, int]:
    """Return the place of each column."""
    names = [name.strip().lower() for name in header]
    out: dict[str, int] = {}
    for column, spellings in COLUMNS.items():
        at = [k for k, name in enumerate(names) if name in spellings]
        if len(at) > 1:
            raise _bad_header(path, f"one column for {column}", header)
        if at:
            out[column] = at[0]
    for column in ("video", "start", "action"):
        if column not in out:
            raise _bad_header(path, f"a column {column!r}", header)
    if "end" not in out and "frames" not in out:
        raise _bad_header(path, "a column 'end' (the last frame) or 'frames'", header)
    return out


def _bad_header(path: Path, expected: str, header: Sequence[str]) -> SourceBroken:
    return ColumnMissing(
        f"{path.name} is no table of action clips",
        expected=expected,
        found=", ".join(header[:8]) or "an empty file",
        where=f"{path}:1",
        fix="name the columns video, start, end, action; frames count from 0, one a second",
    )


def _clip(row: _Row, ledger: ImportLedger) -> tuple[str, Clip] | None:
    """Return video and clip of a row; None, with a reason in the ledger, if the row has no valid
    clip.
    """
    video = str(row.cells.get("video") or "").strip()
    if not video:
        ledger.reject("", Code.BAD_ROW, "the row names no video", row.where)
        return None
    fault = _bad_time(row.cells)
    if fault:
        ledger.reject(video, Code.BAD_TIME, fault, row.where)
        return None
    action = action_or_reject(row.cells.get("action"), video, row.where, ledger)
    if action is None:
        return None
    start, end = _times(row.cells)
    return video, Clip(start, end, action, where=row.where)


def _bad_time(cells: Cells) -> str | None:
    """Return what is wrong with a row's frames."""
    for name in ("start", "end", "frames"):
        given = cells.get(name)
        if _empty(given) and name != "start":
            continue
        if whole(given) is None:
            return f"{name} is not a whole number of frames from 0: {given!r}"
    if _empty(cells.get("end")) and _empty(cells.get("frames")):
        return "neither the last frame nor the number of frames is given"
    start, end = _times(cells)
    if end < start:
        return f"the last frame, {end}, is before the first, {start}"
    if not _empty(cells.get("end")) and not _empty(cells.get("frames")):
        number = whole(cells["frames"])
        if number != end - start + 1:
            return f"{start} to {end} are {end - start + 1} frames, not {number}"
    return None


def _times(cells: Cells) -> tuple[int, int]:
    start = whole(cells["start"]) or 0
    if not _empty(cells.get("end")):
        return start, whole(cells["end"]) or 0
    return start, start + (whole(cells["frames"]) or 0) - 1


def _empty(cell: Any) -> bool:
    return cell is None or cell == ""


def whole(cell: Any) -> int | None:
    """Return a whole number from 0, also as text or with a zero fraction; None for all else."""
    if isinstance(cell, bool):
        return None
    if isinstance(cell, str):
        digits, _, fraction = cell.partition(".")
        good = digits.isascii() and digits.isdigit() and len(digits) < 16
        return int(digits) if good and not fraction.strip("0") else None
    if isinstance(cell, int):
        return cell if cell >= 0 else None
    if isinstance(cell, float):
        return int(cell) if cell >= 0 and cell.is_integer() else None
    return None

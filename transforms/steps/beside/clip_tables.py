"""Read tables of action clips (CSV, Parquet) with columns video, start, end (or frames), action."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from surgqa.ontology.action_clips import Clip, VideoClips
from surgqa.ontology.errors import ColumnMissing, SourceBroken, Unsupported
from surgqa.ontology.next_actions import action_named, next_actions
from surgqa.ontology.records import Books, Code, Rejected
from surgqa.ontology.spreadsheets import rows_of_csv
from surgqa.transforms.readers.base.tables.grid import read_grid

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "video": ("video", "video_id"),
    "start": ("start", "start_frame", "start_s"),
    "end": ("end", "end_frame", "end_s"),
    "frames": ("frames", "duration", "duration_s", "seconds"),
    "action": ("action", "label"),
}
"""Names that a column may have. A table needs ``end`` (the last frame, which belongs to the clip)
or ``frames``; if it has both, they must agree."""

Cells = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ImportedClips:
    """The contents of a file of clips.

    Attributes:
        videos: the clips of each video, sorted by the video's name.
        rejected: clips that were left out or changed, with reasons.
        books: number of clips that were read, kept and rejected.
    """

    videos: tuple[VideoClips, ...]
    rejected: tuple[Rejected, ...]
    books: Books


class ImportLedger:
    """Collects what was left out of a file of clips, and why."""

    def __init__(self) -> None:
        self.entries: list[Rejected] = []

    def reject(self, video: str, code: Code, reason: str, where: str) -> None:
        """Record a clip that is left out, with the reason."""
        self.entries.append(Rejected("read", video, code, reason, where))

    def note(self, video: str, code: Code, reason: str, where: str) -> None:
        """Record something unusual about a clip that is kept."""
        self.entries.append(Rejected("read", video, code, reason, where, outcome="repaired"))

    @property
    def lost(self) -> int:
        """Number of clips that were left out."""
        return sum(one.count for one in self.entries if one.outcome == "rejected")


def action_or_reject(name: object, video: str, where: str, ledger: ImportLedger) -> str | None:
    """Return the action that a name in the file means; None, with a rejection, if it is unknown."""
    action = action_named(name) if isinstance(name, str) else None
    if action is None:
        known = ", ".join(one.display for one in next_actions())
        reason = f"{name!r} is none of the actions; known are {known}"
        ledger.reject(video, Code.UNKNOWN_LABEL, reason, where)
    return action


def in_order(video: str, clips: Iterable[Clip], ledger: ImportLedger) -> tuple[Clip, ...]:
    """Return the clips sorted by start.

    A clip that overlaps an earlier clip is left out; the same action twice in a row is noted.
    """
    out: list[Clip] = []
    for clip in sorted(clips, key=lambda one: (one.start, one.end, one.where)):
        if out and clip.start <= out[-1].end:
            reason = (
                f"frames {clip.start} to {clip.end} overlap {out[-1].start} to {out[-1].end} of "
                f"{out[-1].where}"
            )
            ledger.reject(video, Code.CONTRADICTION, reason, clip.where)
            continue
        out.append(clip)
    made = VideoClips(video, tuple(out))
    for k in made.repeats:
        reason = f"{out[k].action} follows {out[k].action}; such clips stay apart"
        ledger.note(video, Code.CONTRADICTION, reason, out[k].where)
    return made.clips


@dataclass(frozen=True, slots=True)
class _Row:
    where: str
    cells: Cells


def read_clip_table(data: bytes, name: str) -> ImportedClips:
    """Return the clips in a table.

    A row that cannot be used is left out with a reason, and its time gets no clip.

    Raises:
        SourceBroken: the file is no such table, or none of its rows can be used.
        UserError: the file's name ends neither in ``.csv`` nor in ``.parquet``.
    """
    rows = list(_rows(data, name))
    ledger = ImportLedger()
    by_video: dict[str, list[Clip]] = {}
    for row in rows:
        read = _clip(row, ledger)
        if read is not None:
            by_video.setdefault(read[0], []).append(read[1])
    videos = [VideoClips(one, in_order(one, by_video[one], ledger)) for one in sorted(by_video)]
    return imported(videos, len(rows), ledger, name, "rows with video, start, end and action")


def imported(
    videos: Sequence[VideoClips], read: int, ledger: ImportLedger, name: str, expected: str
) -> ImportedClips:
    """Return the clips of a file with its rejections.

    Args:
        read: number of clips in the file.

    Raises:
        SourceBroken: no clip can be used.
    """
    if not videos:
        first = ledger.entries[0] if ledger.entries else None
        raise SourceBroken(
            f"{name} has no clip that can be used", expected=expected,
            found=first.reason if first else "no clips", where=first.where if first else name,
        )  # fmt: skip
    kept = sum(len(video.clips) for video in videos)
    books = Books("read", "clips", read, kept, ledger.lost)
    return ImportedClips(tuple(videos), tuple(ledger.entries), books)


def _rows(data: bytes, name: str) -> Iterator[_Row]:
    if name.endswith(".csv"):
        lines = rows_of_csv(data, name)
        place = _places(next(lines, (1, []))[1], name)
        for line, cells in lines:
            if any(cell.strip() for cell in cells):
                taken = {n: cells[k].strip() for n, k in place.items() if k < len(cells)}
                yield _Row(f"{name}:{line}", taken)
    elif name.endswith(".parquet"):
        table = read_grid(data, name)
        place = _places(table.columns, name)
        for number, texts in table.rows:
            yield _Row(f"{name}: row {number}", {n: texts[k] for n, k in place.items()})
    else:
        raise Unsupported(
            f"{name} is not a table of clips", expected="a name that ends in .csv or .parquet",
            found=PurePath(name).suffix or "no ending", where=name,
            fix="save the table as CSV; the predecessor's JSON is read by another import",
        )  # fmt: skip


def _places(header: Sequence[str], name: str) -> dict[str, int]:
    """Return the index of each column."""
    names = [one.strip().lower() for one in header]
    out: dict[str, int] = {}
    for column, spellings in COLUMNS.items():
        at = [k for k, one in enumerate(names) if one in spellings]
        if len(at) > 1:
            raise _bad_header(name, f"one column for {column}", header)
        if at:
            out[column] = at[0]
    for column in ("video", "start", "action"):
        if column not in out:
            raise _bad_header(name, f"a column {column!r}", header)
    if "end" not in out and "frames" not in out:
        raise _bad_header(name, "a column 'end' (the last frame) or 'frames'", header)
    return out


def _bad_header(name: str, expected: str, header: Sequence[str]) -> SourceBroken:
    return ColumnMissing(
        f"{name} is not a table of action clips",
        expected=expected,
        found=", ".join(header[:8]) or "an empty file",
        where=f"{name}:1",
        fix="name the columns video, start, end, action; frames count from 0, one a second",
    )


def _clip(row: _Row, ledger: ImportLedger) -> tuple[str, Clip] | None:
    """Return (video, clip) of a row; None, with a rejection in the ledger, if the row is wrong."""
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
    """Return what is wrong with a row's frames; None if nothing is."""
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
    """Return a whole number from 0 (also text, or with a zero after the point), else None."""
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

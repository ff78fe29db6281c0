"""Read Kvasir-Capsule: single labelled frames from long capsule examinations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from surgqa.ontology.concepts import label_map
from surgqa.ontology.files import read_text
from surgqa.ontology.records import Clock, Code, Source, VideoEvidence
from surgqa.ontology.times import frame_to_us, period_us
from surgqa.transforms.readers.base import (
    DelimitedLine,
    Ledger,
    number,
    read_delimited,
    whole_number,
)
from surgqa.transforms.readers.base.framed import Framed, framed_regions, framed_spans, picture_box
from surgqa.transforms.readers.base.gallery import GalleryReader
from surgqa.transforms.readers.base.lines import Grouped, grouped, no_row
from surgqa.transforms.readers.base.whole import NamedLabel, named

KINDS = ("finding", "landmark", "condition")
NOTHING_FOUND = "normal_mucosa"
SIDE = 336
"""Side of an image in pixels, used if neither an image nor the video file exists."""
CORNERS = tuple(f"{axis}{corner}" for corner in (1, 2, 3, 4) for axis in "xy")
COLUMNS = ("filename", "video_id", "frame_number", "finding_class", *CORNERS)
FILE = re.compile(r"([0-9a-f]{16})_(\d{1,9})\.(?:jpg|jpeg|png)", re.IGNORECASE)


Rows = Sequence[tuple[DelimitedLine, str]]
TABLE = "metadata.csv"
SPLITS = ("official_splits/split_0.csv", "official_splits/split_1.csv")
"""They contain the same labels as the table, which has priority if it exists."""


def rows_of(data: bytes, name: str) -> Grouped:
    """Return rows by examination, of ``metadata.csv`` or of an official split, without boxes."""
    expected = "16 hexadecimal digits, _ and the frame's number"
    if name != TABLE:
        needed, aliases = ("filename", "finding_class"), {"label": "finding_class"}
        return grouped(read_delimited(data, name, needed, aliases=aliases), _exam, expected)
    lines = read_text(data, name).split("\n")
    full = lines[0].count(";")
    # Rows without a box have one field too few.
    padded = "\n".join(line + ";" * (line.count(";") == full - 1) for line in lines)
    table = read_delimited(padded.encode(), name, COLUMNS, delimiter=";")
    return grouped(table, _exam, expected)


def _exam(row: DelimitedLine) -> str | None:
    file = FILE.fullmatch(row["filename"])
    exam = row.cells.get("videoid", file[1] if file else "").casefold()
    return exam if re.fullmatch("[0-9a-f]{16}", exam) else None


def _frame(row: DelimitedLine) -> int | None:
    """Return the frame of a row; None if the file name and the columns contradict each other."""
    file = FILE.fullmatch(row["filename"])
    exam, frame = (file[1], int(file[2])) if file else ("", -1)
    agree = row.cells.get("videoid", exam).casefold() == exam.casefold()
    agree &= whole_number(row.cells.get("framenumber", str(frame))) == frame >= 0
    return frame if agree else None


def _corners(row: DelimitedLine) -> tuple[float | None, ...]:
    """Return x1, y1 to x4, y4; None for a cell that is not a number; empty without a box."""
    cells = [row.cells.get(corner, "") for corner in CORNERS]
    return tuple(map(number, cells)) if any(cells) else ()


class Reader(GalleryReader):
    """Reader of Kvasir-Capsule; the folder may hold only some of its videos."""

    name = "kvasir_capsule"
    version = 1
    span_kinds = KINDS
    region_kinds = ("finding", "landmark")
    replayable = True

    def found(self) -> list[str]:
        """Return examinations with a labelled frame."""
        return sorted({video_id for rows, _ in self._tables() for video_id in rows})

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one examination."""
        tables = self._tables()
        sources = [source for _, source in tables] or [self._source(TABLE)[1]]
        rows = [row for table, _ in tables for row in table.get(video_id, ())]
        if not rows:
            raise no_row(sources[0], video_id)
        film = self._recording(f"labelled_videos/{video_id}.mp4", probed=True)
        rate = film.fps or self.rate
        fps = rate or Fraction(1)
        size = film.media.width or 0, film.media.height or 0
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        size = size if all(size) else self._picture_size(rows)
        kept = list(_kept(rows, size, fps, film.duration_us, ledger))
        last = max((one.frame for one in kept), default=0)
        video = self._record(
            video_id, sources, fps=fps, media=film.media,
            duration_us=film.duration_us or frame_to_us(last, fps) + period_us(fps),
            clock=Clock.TIME if rate else Clock.ORDER,
        )  # fmt: skip
        return VideoEvidence(
            video, None, framed_spans(kept, fps, sources[0].path), ledger.entries(),
            (ledger.books(len(rows), len(kept)),), regions=_regions(kept, fps, sources),
        )  # fmt: skip

    def _tables(self) -> list[tuple[Grouped, Source]]:
        found = self._tables_of(((rows_of, (TABLE,)), (rows_of, SPLITS)))
        return [(rows, source) for _, rows, source in found]

    def _picture_size(self, rows: Rows) -> tuple[int, int]:
        """Return the size of the examination's images, from the first image with a box."""
        boxed = [row for row, _ in rows if _corners(row)][:1]
        names = [f"labelled_images/{row['findingclass']}/{row['filename']}" for row in boxed]
        media = self._still(*names)
        return media.width or SIDE, media.height or SIDE


def _kept(
    rows: Rows, size: tuple[int, int], fps: Fraction, end_us: int | None, ledger: Ledger
) -> Iterator[Framed]:
    """Yield the valid rows; a row that repeats a label of its frame must add a box."""
    known = label_map("kvasir_capsule")
    done: set[tuple] = {
        (_frame(row), row["findingclass"], ()) for row, _ in rows if _corners(row)
    }  # fmt: skip
    for at, (row, where) in enumerate(rows):
        frame, label, corners = _frame(row), row["findingclass"], _corners(row)
        name = named(label, known, KINDS)
        if frame is None:
            reason = f"the file's name {row['filename']!r} and the columns name different frames"
            ledger.reject((at,), Code.BAD_FRAME, reason, where)
        elif not isinstance(name, NamedLabel):
            ledger.reject((at,), *name, where)
        elif end_us is not None and frame_to_us(frame, fps) >= end_us:
            reason = f"frame {frame} lies after the end of the film"
            ledger.reject((at,), Code.BAD_TIME, reason, where)
        elif (frame, label, corners) in done:
            reason = f"frame {frame} has this label already in another row"
            ledger.reject((at,), Code.DUPLICATE_FRAME, reason, where)
        else:
            done.add((frame, label, corners))
            box = picture_box(corners, size, ledger, (at,), where) if corners else None
            yield Framed(frame, *name, box, row.line, where)


def _regions(kept: Sequence[Framed], fps: Fraction, sources: Sequence[Source]) -> dict[str, Any]:
    """Return, for each kind, the regions in the frames that have a label of that kind.

    Normal mucosa means that a frame has no finding.  No label means that there is no landmark.
    """
    known = label_map("kvasir_capsule")
    files = " or ".join(source.path for source in sources)
    found = {}
    for kind in Reader.region_kinds:
        things = [one for one in kept if one.kind == kind]
        nothing = [one.frame for one in kept if one.concept == NOTHING_FOUND]
        frames = [one.frame for one in things] + (nothing if kind == "finding" else [])
        if frames:
            pointer = f"{files}: frame {{frame}}, line {{row}}"
            labels = known[kind].values()
            found[kind] = framed_regions(things, frames, fps, labels, pointer)
    return found

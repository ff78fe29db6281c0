"""Read Kvasir-Capsule: single labelled frames from long capsule examinations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from surgqa.ontology.concepts import label_map
from surgqa.ontology.files import read_text
from surgqa.ontology.records import Clock, Code, Source, VideoEvidence
from surgqa.ontology.times import frame_to_us, period_us
from surgqa.transforms.readers.base import (
    Delimited,
    DelimitedLine,
    Ledger,
    number,
    read_delimited,
    whole_number,
)
from surgqa.transforms.readers.base.framed import Framed, framed_regions, framed_spans, picture_box
from surgqa.transforms.readers.base.gallery import GalleryReader
from surgqa.transforms.readers.base.grouped import grouped, no_row
from surgqa.transforms.readers.base.whole import NamedLabel, named

KINDS = ("finding", "landmark", "condition")
NOTHING_FOUND = "normal_mucosa"
SIDE = 336
"""Side of an image in pixels, used if neither an image nor the video file exists."""
CORNERS = tuple(f"{axis}{corner}" for corner in (1, 2, 3, 4) for axis in "xy")
COLUMNS = ("filename", "video_id", "frame_number", "finding_class", *CORNERS)
FILE = re.compile(r"([0-9a-f]{16})_(\d{1,9})\.(?:jpg|jpeg|png)", re.IGNORECASE)


class LabelRow(NamedTuple):
    """One label of one frame.

    Attributes:
        frame: None if the file name and the columns contradict each other.
        corners: x1, y1 to x4, y4; empty without a box; None for a cell that is not a number.
    """

    file: str
    frame: int | None
    label: str
    corners: tuple[float | None, ...]
    line: int
    where: str


Rows = Mapping[str, Sequence[LabelRow]]
TABLE = "metadata.csv"
SPLITS = ("official_splits/split_0.csv", "official_splits/split_1.csv")
"""They contain the same labels as the table, which has priority if it exists."""


def rows_of(data: bytes, name: str) -> Rows:
    """Rows by examination, of ``metadata.csv`` or of an official split, which has no boxes."""
    if name != TABLE:
        aliases = {"label": "finding_class"}
        return _rows(read_delimited(data, name, ("filename", "finding_class"), aliases=aliases))
    lines = read_text(data, name).split("\n")
    full = lines[0].count(";")
    # Rows without a box have one field too few.
    padded = "\n".join(line + ";" * (line.count(";") == full - 1) for line in lines)
    return _rows(read_delimited(padded.encode(), name, COLUMNS, delimiter=";"))


def _rows(table: Delimited) -> Rows:
    by_exam = grouped(table, _exam, "16 hexadecimal digits, _ and the frame's number")
    return {exam: [_row(*row) for row in rows] for exam, rows in by_exam.items()}


def _exam(row: DelimitedLine) -> str | None:
    file = FILE.fullmatch(row["filename"])
    exam = row.cells.get("videoid", file[1] if file else "").casefold()
    return exam if re.fullmatch("[0-9a-f]{16}", exam) else None


def _row(row: DelimitedLine, where: str) -> LabelRow:
    file = FILE.fullmatch(row["filename"])
    exam, frame = (file[1], int(file[2])) if file else ("", -1)
    agree = row.cells.get("videoid", exam).casefold() == exam.casefold()
    agree &= whole_number(row.cells.get("framenumber", str(frame))) == frame >= 0
    cells = [row.cells.get(corner, "") for corner in CORNERS]
    corners = tuple(map(number, cells)) if any(cells) else ()
    label = row["findingclass"]
    return LabelRow(row["filename"], frame if agree else None, label, corners, row.line, where)


class Reader(GalleryReader):
    """Reader of Kvasir-Capsule; the dataset may be incomplete."""

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

    def _tables(self) -> list[tuple[Rows, Source]]:
        found = self._tables_of(((rows_of, (TABLE,)), (rows_of, SPLITS)))
        return [(rows, source) for _, rows, source in found]

    def _picture_size(self, rows: Sequence[LabelRow]) -> tuple[int, int]:
        """Return the size of the examination's images, from the first image with a box."""
        boxed = [row for row in rows if row.corners][:1]
        media = self._still(*(f"labelled_images/{row.label}/{row.file}" for row in boxed))
        return media.width or SIDE, media.height or SIDE


def _kept(
    rows: Sequence[LabelRow], size: tuple[int, int], fps: Fraction, end_us: int | None,
    ledger: Ledger,
) -> Iterator[Framed]:  # fmt: skip
    """Yield the valid rows; if a frame has a row with a box, a row without one is a duplicate."""
    known = label_map("kvasir_capsule")
    done: set[tuple] = {(row.frame, row.label, ()) for row in rows if row.corners}
    for at, row in enumerate(rows):
        name, key = named(row.label, known, KINDS), (row.frame, row.label, row.corners)
        if row.frame is None:
            reason = f"the file's name {row.file!r} and the columns name different frames"
            ledger.reject((at,), Code.BAD_FRAME, reason, row.where)
        elif not isinstance(name, NamedLabel):
            ledger.reject((at,), *name, row.where)
        elif end_us is not None and frame_to_us(row.frame, fps) >= end_us:
            reason = f"frame {row.frame} lies after the end of the film"
            ledger.reject((at,), Code.BAD_TIME, reason, row.where)
        elif key in done:
            reason = f"frame {row.frame} has this label already in another row"
            ledger.reject((at,), Code.DUPLICATE_FRAME, reason, row.where)
        else:
            done.add(key)
            corners = row.corners
            box = picture_box(corners, size, ledger, (at,), row.where) if corners else None
            yield Framed(row.frame, *name, box, row.line, row.where)


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

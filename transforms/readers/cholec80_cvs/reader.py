"""Read Cholec80-CVS: one workbook with scored intervals of all 80 videos.

The first and the last second of an interval both belong to it, so the next interval begins one
second after the last second.  A row of zeros means that no criterion is met at all.
"""

from __future__ import annotations

from fractions import Fraction

from surgqa.ontology.records import Source, VideoEvidence
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.readers.base import (
    DelimitedLine,
    Ledger,
    parsed_once,
    read_sheet,
    whole_number,
)
from surgqa.transforms.readers.base import Reader as BaseReader
from surgqa.transforms.readers.base.lines import Grouped, grouped, no_row
from surgqa.transforms.readers.cholec80_cvs.intervals import COLUMNS, resolved, statements

NAMES = ("cholec80-CVS.xlsx", "surgeons_annotations.xlsx")
"""The workbook's name, and the name that the authors' code expects."""
FPS = Fraction(1)
VIDEOS = 80


class Reader(BaseReader):
    """Reader of Cholec80-CVS; the folder may hold only some of its videos."""

    name = "cholec80_cvs"
    version = 1
    span_kinds = ("rating",)
    replayable = True

    def found(self) -> list[str]:
        """Return the videos that have a row in the workbook."""
        name = _workbook(self._listing(""))
        return sorted(self._rows(name)[0]) if name else []

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one video."""
        rows, source = self._rows(_workbook(self._names("")) or NAMES[0])
        if video_id not in rows:
            raise no_row(source, video_id)
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        said = statements(rows[video_id], ledger)
        spans, kept = resolved(said, source.path, ledger)
        end_us = max((one.end_s for one in said), default=1) * SECOND_US
        media = self._recording(f"videos/{video_id}.mp4").media
        video = self._record(video_id, [source], fps=FPS, duration_us=end_us, media=media)
        books = ledger.books(len(rows[video_id]), kept)
        return VideoEvidence(video, None, spans, ledger.entries(), (books,))

    def _rows(self, name: str) -> tuple[Grouped, Source]:
        data, source = self._source(name)
        return parsed_once(data, source, _by_video), source


def _workbook(names: tuple[str, ...]) -> str | None:
    """Return the workbook among the files of the root; the case of its name does not matter."""
    there = {name.casefold(): name for name in reversed(names)}
    return next((there[name.casefold()] for name in NAMES if name.casefold() in there), None)


def _by_video(data: bytes, name: str) -> Grouped:
    """Return the rows of each video, in the order of the workbook."""

    def video_of(row: DelimitedLine) -> str | None:
        number = whole_number(row["video"])
        return f"video{number:02d}" if number in range(1, VIDEOS + 1) else None

    return grouped(read_sheet(data, name, COLUMNS), video_of, f"a video from 1 to {VIDEOS}")

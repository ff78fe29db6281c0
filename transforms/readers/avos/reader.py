"""Read AVOS: actions over time, and boxes of hands and instruments in some still images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from surgqa.ontology.boxes import Box, clipped_box
from surgqa.ontology.concepts import label_map
from surgqa.ontology.records import Code, Media, Source, VideoEvidence
from surgqa.ontology.times import frame_to_us
from surgqa.transforms.readers.avos import tables as t
from surgqa.transforms.readers.base import DelimitedLine, Ledger, checked_spans, number
from surgqa.transforms.readers.base.framed import Framed, framed_regions, picture_box
from surgqa.transforms.readers.base.gallery import GalleryReader
from surgqa.transforms.readers.base.lines import no_row
from surgqa.transforms.readers.base.seconds import exact_us, second_rows
from surgqa.transforms.readers.base.whole import NamedLabel, Stated, named, whole_labels
from surgqa.transforms.readers.base.yolo import read_yolo

FPS = Fraction(15)
"""Rate of all frame numbers, whatever the rate of the video file."""
SEEN = ("instrument", "structure")
Rows = Sequence[tuple[DelimitedLine, str]]


class Still(NamedTuple):
    name: str
    frame: int
    rows: list[tuple[DelimitedLine, str]]


class Reader(GalleryReader):
    """Reader of AVOS, in the form of the release or of the authors' working files."""

    name = "avos"
    version = 1
    span_kinds = ("action",)
    label_kinds = ("condition",)
    region_kinds = ("structure",)
    replayable = True

    def found(self) -> list[str]:
        """Return the videos with actions or boxes."""
        tables = [table for parse, table, _ in self._tables_of(t.FILES) if parse is not t.videos]
        return sorted({video_id for table in tables for video_id in table})

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one video."""
        found, known = self._tables_of(t.FILES), label_map(self.name)
        sources = [source for _, _, source in found]
        acts, boxes, about = (
            [row for parse, table, _ in found if parse is kind for row in table.get(video_id, ())]
            for kind in (t.segments, t.boxes, t.videos)
        )
        if not acts and not boxes:
            raise no_row([self._source(name)[1] for name in (t.SEGMENTS, t.BOXES)][0], video_id)
        film = self._recording(f"video/{video_id}.mp4", f"videos/{video_id}.mp4", probed=True)
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        claimed = second_rows("action", acts, known, ledger, 1)
        spans = checked_spans(claimed, ledger, film.duration_us)
        quality = [Stated([row["quality"]] if row["quality"] else [], t.VIDEOS, where, True)
                   for row, where in about]  # fmt: skip
        labels, kept = whole_labels(quality, known, self.label_kinds, ledger)
        stills = _stills(boxes, film.duration_us, ledger)
        seen = [one for still in stills for one in self._seen(still, film.media, sources, ledger)]
        lengths = [exact_us(row["durationseconds"]) or 0 for row, _ in about]
        ends = [frame_to_us(still.frame + 1, FPS) for still in stills]
        ends += [span.end_us for span in spans]
        pointer = f"{' or '.join(s.path for s in sources)}: frame {{frame}}, line {{row}}"
        video = self._record(
            video_id, sources, fps=FPS, duration_us=film.duration_us or max([1, *ends, *lengths]),
            media=film.media, vocabulary=sorted(known["instrument"].values()),
        )  # fmt: skip
        tables = {kind: framed_regions([one for one in seen if one.kind == kind],
                                       [still.frame for still in stills], FPS,
                                       known[kind].values(), pointer)
                  for kind in SEEN if stills}  # fmt: skip
        empty = sum(_nothing(row) for still in stills for row, _ in still.rows)
        read = len(acts) + len(boxes) + len(about)
        books = ledger.books(read, len(spans) + len(seen) + empty + kept)
        tools = tables.pop("instrument", None)
        return VideoEvidence(video, tools, spans, ledger.entries(), (books,), labels, tables)

    def _seen(
        self, still: Still, film: Media, sources: list[Source], ledger: Ledger
    ) -> Iterator[Framed]:
        """Yield the hands and instruments in a still, with boxes in [0, 1] of the image."""
        media = self._still(*(f"{folder}/{still.name}" for folder in t.STILLS))
        media = media if media.width else film
        size = media.width or 0, media.height or 0
        drawn = [] if all(size) else self._drawn(still.name, sources)
        same = [kind for kind, _ in drawn] == [row["class"] for row, _ in still.rows]
        for place, (row, where) in enumerate(still.rows):
            at = (2, row.line)
            label = named(row["class"], label_map(self.name), SEEN)
            if _nothing(row):
                continue
            if not isinstance(label, NamedLabel):
                ledger.reject(at, *label, where)
                continue
            corners = [number(row[corner]) for corner in t.CORNERS]
            box = drawn[place][1] if same else picture_box(corners, size, ledger, at, where)
            yield Framed(still.frame, *label, box, row.line, where)

    def _drawn(self, name: str, sources: list[Source]) -> list[tuple[str, Box | None]]:
        """Return labels and boxes in [0, 1], from a YOLO file next to the image."""
        for folder in t.STILLS[1:]:
            there = self._optional(f"{folder}/{name.rpartition('.')[0]}.txt")
            if there:
                sources.append(there[1])
                shapes = read_yolo(there[0], there[1].path, t.YOLO).shapes
                return [(one.label, clipped_box(one.box) if one.box else None) for one in shapes]
        return []


def _stills(rows: Rows, end_us: int | None, ledger: Ledger) -> list[Still]:
    """Return the still images with their rows; a repeated row counts only once."""
    found: dict[int, Still] = {}
    for row, where in rows:
        match, at = t.STILL.fullmatch(row["imagename"]), (2, row.line)
        frame = int(match[3]) if match else 0
        still = found.setdefault(frame, Still(row["imagename"].split("/")[-1], frame, []))
        if end_us is not None and frame_to_us(frame, FPS) >= end_us:
            ledger.reject(at, Code.BAD_TIME, f"frame {frame} is after the end of the video", where)
        elif row.cells in [other.cells for other, _ in still.rows]:
            reason = f"frame {frame} has the same row already"
            ledger.reject(at, Code.DUPLICATE_FRAME, reason, where)
        elif still.rows and _nothing(row) != _nothing(still.rows[0][0]):
            reason = f"frame {frame} has a row with and a row without an object"
            ledger.reject(at, Code.CONTRADICTION, reason, where)
        else:
            still.rows.append((row, where))
    return [found[frame] for frame in sorted(found) if found[frame].rows]


def _nothing(row: DelimitedLine) -> bool:
    """Return whether all cells of a row are empty, as in the row of an image without objects."""
    return not any(row[column] for column in (*t.CORNERS, "class"))

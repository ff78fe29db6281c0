"""The reader of all data whose tables a plan describes: user-supplied data and datasets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from surgqa.ontology.records import Media, MediaKind, VideoEvidence
from surgqa.ontology.times import period_us
from surgqa.transforms.media.found import MediaRecord
from surgqa.transforms.readers.base.intervals import sorted_spans
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.own_videos import VideoClock, VideoRow, clock_of, media_of
from surgqa.transforms.readers.base.tables.build import Built, build
from surgqa.transforms.readers.base.tables.coco import coco_clock, counts_source, read_coco
from surgqa.transforms.readers.base.tables.coco_rows import Part
from surgqa.transforms.readers.base.tables.files import TableFiles, TablesRead
from surgqa.transforms.readers.base.tables.frames import Raw, read_frames
from surgqa.transforms.readers.base.tables.grid import ParsedTable
from surgqa.transforms.readers.base.tables.lines import LineWords
from surgqa.transforms.readers.base.tables.pictures import PictureFiles, read_pictures
from surgqa.transforms.readers.base.tables.plan import MappingPlan
from surgqa.transforms.readers.base.tables.rows import TableRows, folder_rows, placed, table_rows
from surgqa.transforms.readers.base.tables.sorts import BOXES
from surgqa.transforms.readers.base.tables.timing import Timing
from surgqa.transforms.readers.base.words import AllWords


class TablesReader(TableFiles):
    """Reads the data that a :class:`MappingPlan` describes; subclasses find the plan."""

    replayable = True

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one video, from all tables."""
        self._once = {}
        try:
            return self._read(video_id)
        finally:
            self._once = None

    def _read(self, video_id: str) -> VideoEvidence:
        plan, own = self._plan()
        facts, sources = self._facts(plan)
        ledger = Ledger(f"{self.name}/{video_id}", plan.unit)
        found = self._tables(plan, video_id, facts, ledger)
        names, more = self._names_of(plan)
        mine = facts.get(video_id, VideoRow())
        parts = [f.content for f in found.files if f and isinstance(f.content, Part)]
        media, clock = self._media_and_clock(plan, video_id, mine, found, parts)
        meaning = _meaning(names, clock.timing, media)
        framed, read = read_frames(_raws(plan, found), names, clock.timing.fps, ledger)
        pictures, pictured = read_pictures(_pictures(found), names, clock.timing.fps, ledger)
        coco, listed = read_coco(parts, clock.timing.fps, ledger)
        contents = [placed(rows, framed.spans, ledger)
                 for rows in _contents(plan, found, video_id, meaning, ledger)]  # fmt: skip
        built = reduce(
            _joined, (build(contents, names, clock.timing, ledger), framed, pictures, coco)
        )
        files = [source for file in found.files if file for source in file.sources]
        video = self._record(
            video_id,
            list(dict.fromkeys([*files, *sources, *own, *more])),
            **self._times(plan, built, clock, found._replace(film=media.media.path)),
            media=media.media,
            vocabulary=self._vocabulary(plan, built),
            **self._about(plan, video_id, mine),
        )
        read += pictured + listed + sum(rows.read for rows in contents)
        books = ledger.books(read, built.kept)
        return VideoEvidence(
            video, built.instruments, built.spans, ledger.entries(), (books,), built.labels,
            built.regions,
        )  # fmt: skip

    def _media_and_clock(
        self,
        plan: MappingPlan,
        video_id: str,
        facts: VideoRow,
        found: TablesRead,
        parts: Sequence[Part],
    ) -> tuple[MediaRecord, VideoClock]:
        """Return the video's media, and the time scale of its labels."""
        clips = [clips[0][0] for clips in found.clips if clips]
        media = self._media_of(plan, video_id, facts, clips)
        if not parts:
            there = [table for table, file in zip(plan.tables, found.files, strict=True) if file]
            usual = plan.usual(video_id)
            return media, clock_of(plan, there, facts, media, self.rate, usual)
        if media.media.kind is MediaKind.FRAMES and counts_source(
            self._names(str(media.media.path))
        ):
            media = MediaRecord(
                Media(MediaKind.ABSENT)
            )  # the numbers of these images do not tell their seconds
        return media, coco_clock(parts, self.rate)

    def _times(
        self, plan: MappingPlan, built: Built, clock: VideoClock, found: TablesRead
    ) -> dict[str, Any]:
        """Return rate, period, length and clock for the video's record."""
        period = built.period_us or period_us(clock.timing.fps)
        length = clock.timing.duration_us or max(built.end_us, period)
        return {"fps": clock.timing.fps, "duration_us": length, "period": period,
                "clock": clock.clock}  # fmt: skip

    def _vocabulary(self, plan: MappingPlan, built: Built) -> Sequence[str]:
        """Return the concepts of the instruments that were annotated."""
        words = plan.words.get("instrument")
        known = built.instruments.labels if built.instruments else words.concepts if words else ()
        return known or ()

    def _about(self, plan: MappingPlan, video_id: str, facts: VideoRow) -> dict[str, Any]:
        """Return procedure, specialty, licence and split group for the video's record."""
        return {
            "procedure": plan.procedure[".*"],
            "specialty": plan.specialty,
            "licence": plan.licence,
            "split_group": f"{self.name}/{facts.patient or video_id}",
        }

    def _media_of(
        self, plan: MappingPlan, video_id: str, facts: VideoRow, clips: Sequence[str]
    ) -> MediaRecord:
        rate = facts.rate or plan.rate or self.rate
        known = rate is not None and (facts.duration or facts.frames) is not None
        sized = all(t.holds != BOXES or t.unit != "pixels" or t.size for t in plan.tables)
        patterns = plan.media.of(video_id) if plan.media else ()
        first = max((int(t.time.base) for t in plan.tables if t.time.base in (0, 1)), default=0)
        probed = not (known and sized) if plan.probe is None else plan.probe
        if plan.media:
            clips = [*clips, *self._spelled(plan, plan.media, video_id)]
        return media_of(self, patterns, clips, probed, first)


def _contents(
    plan: MappingPlan, found: TablesRead, video_id: str, meaning: LineWords, ledger: Ledger
) -> list[TableRows]:
    """Return the video's labels in each table with one row for each label."""
    out = []
    for place, (table, file) in enumerate(zip(plan.tables, found.files, strict=True)):
        if file and isinstance(file.content, ParsedTable):
            out.append(table_rows(table, file.content, place, video_id, meaning, ledger))
        elif found.clips[place]:
            out.append(folder_rows(table, place, found.clips[place], plan.words, ledger))
    return out


def _raws(plan: MappingPlan, found: TablesRead) -> list[Raw]:
    files = zip(plan.tables, found.files, strict=True)
    return [Raw(table, file.content, file.source.path, place)
            for place, (table, file) in enumerate(files)
            if file and isinstance(file.content, bytes)]  # fmt: skip


def _pictures(found: TablesRead) -> list[PictureFiles]:
    return [file.content for file in found.files if file and isinstance(file.content, PictureFiles)]


def _joined(rows: Built, frames: Built) -> Built:
    """Join the evidence of tables with one row per label and with one row per frame."""
    return Built(
        frames.instruments or rows.instruments,
        {**rows.regions, **frames.regions},
        sorted_spans([*rows.spans, *frames.spans]),
        rows.labels,
        frames.period_us or rows.period_us,
        max(rows.end_us, frames.end_us),
        rows.kept + frames.kept,
    )


def _meaning(words: AllWords, timing: Timing, media: MediaRecord) -> LineWords:
    width, height = media.media.width, media.media.height
    return LineWords(words, timing, (float(width), float(height)) if width and height else None)

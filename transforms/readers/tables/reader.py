"""Read a hospital's own tables; ``surgqa.yaml`` states what each column contains.

``docs/your_data.md`` explains every key of that file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NoReturn

from ontology.errors import SourceMissing
from ontology.records import Source, VideoEvidence
from ontology.times import SECOND_US, period_us
from transforms.readers.base import Ledger, Recording, parsed_once
from transforms.readers.base import Reader as BaseReader
from transforms.readers.base.own_videos import Facts, clock_of, facts_by_video, media_of
from transforms.readers.base.tables.build import build
from transforms.readers.base.tables.grid import Grid, read_grid, read_headless
from transforms.readers.base.tables.lines import (
    Meaning,
    check_columns,
    refuse_strangers,
    rows_by_video,
    video_column,
)
from transforms.readers.base.tables.mapping import FILE
from transforms.readers.base.tables.plan import (
    AREA_KINDS,
    BOXES,
    LABEL_KINDS,
    SPAN_KINDS,
    Plan,
    TablePlan,
    read_plan,
)
from transforms.readers.base.tables.rows import told_by, told_by_folder

Parsed = tuple[Grid, Source]
Clips = list[tuple[str, dict[str, str]]]


class Reader(BaseReader):
    """Reader of user-supplied tables."""

    name = "tables"
    version = 1
    replayable = True
    span_kinds = SPAN_KINDS
    label_kinds = LABEL_KINDS
    region_kinds = AREA_KINDS

    def found(self) -> list[str]:
        """All videos that the tables name: in a row, in a file name or in a folder name."""
        if not (self.root / FILE).is_file():
            return []
        plan, _ = self._plan()
        listed = plan.videos is not None and (self.root / plan.videos.file).is_file()
        out = set(self._facts(plan)[0]) if listed else set()
        for table in plan.tables:
            if not table.shared:
                out |= {values["video"] for _, values in table.file.found(self._listing)}
            elif (self.root / table.file.text).is_file():
                out |= set(rows_by_video(self._grid(table, table.file.text)[0],
                                         *video_column(table)))  # fmt: skip
        return sorted(out)

    def missing(self) -> list[str]:
        """The mapping file if it does not exist; otherwise, the tables that do not exist."""
        if not (self.root / FILE).is_file():
            return [FILE]
        plan, _ = self._plan()
        names = {table.file.text for table in plan.tables if table.shared}
        names |= {plan.videos.file} if plan.videos else set()
        return sorted(name for name in names if not (self.root / name).is_file())

    def read(self, video_id: str) -> VideoEvidence:
        """The evidence of one video, from all tables."""
        plan, mapping = self._plan()
        facts, sources = self._facts(plan)
        grids, clips = self._tables(plan, video_id, facts)
        mine = facts.get(video_id, Facts())
        media = self._media_of(plan, video_id, mine, [found[0][0] for found in clips if found])
        there = [table for table, parsed in zip(plan.tables, grids, strict=True) if parsed]
        clock = clock_of(plan, there, mine, media, self.rate)
        ledger = Ledger(f"{self.name}/{video_id}", "labels")
        meaning = _meaning(plan, clock.rate, media, clock.timing.duration_us)
        tolds = [
            told_by(table, parsed[0], place, video_id, meaning, ledger)
            if parsed
            else told_by_folder(table, place, clips[place], plan.words, ledger)
            for place, (table, parsed) in enumerate(zip(plan.tables, grids, strict=True))
            if parsed or clips[place]
        ]
        built = build(tolds, plan.words, clock.timing, ledger)
        period = built.period_us or period_us(clock.timing.fps)
        words = plan.words.get("instrument")
        known = built.instruments.labels if built.instruments else words.concepts if words else ()
        video = self._record(
            video_id,
            list(dict.fromkeys([mapping, *sources, *(one[1] for one in grids if one)])),
            fps=clock.timing.fps,
            duration_us=clock.timing.duration_us or max(built.end_us, period),
            media=media.media,
            vocabulary=known or (),
            period=period,
            clock=clock.clock,
            procedure=plan.procedure,
            specialty=plan.specialty,
            licence=plan.licence,
            split_group=f"{self.name}/{mine.patient or video_id}",
        )
        books = ledger.books(sum(told.read for told in tolds), built.kept)
        return VideoEvidence(
            video, built.instruments, built.spans, ledger.entries(), (books,), built.labels,
            built.regions,
        )  # fmt: skip

    def _tables(
        self, plan: Plan, video_id: str, facts: Mapping[str, Facts]
    ) -> tuple[list[Parsed | None], list[Clips]]:
        """For each table, its rows about the video; for each folder of clips, the video's clips."""
        grids = [self._table(table, video_id) for table in plan.tables]
        clips = [self._clips(table, video_id) for table in plan.tables]
        if video_id not in facts and not any(grids) and not any(clips):
            self._nothing_of(plan, video_id)
        for table, parsed in zip(plan.tables, grids, strict=True):
            if plan.videos and parsed and table.shared:
                refuse_strangers(table, parsed[0], list(facts), plan.videos.file)
        return grids, clips

    def _plan(self) -> tuple[Plan, Source]:
        data, source = self._source(FILE)
        return parsed_once(data, source, read_plan), source

    def _facts(self, plan: Plan) -> tuple[dict[str, Facts], list[Source]]:
        """The rows of the table of videos, by video; and the table as a source."""
        if plan.videos is None:
            return {}, []
        data, source = self._source(plan.videos.file)
        grid = parsed_once(data, source, read_grid if plan.videos.header else read_headless)
        return facts_by_video(grid, plan.videos.columns), [source]

    def _grid(self, table: TablePlan, name: str) -> Parsed:
        data, source = self._source(name)
        grid = parsed_once(data, source, read_grid if table.header else read_headless)
        check_columns(table, grid)
        return grid, source

    def _table(self, table: TablePlan, video_id: str) -> Parsed | None:
        """The table that all videos share, or the video's own table; None if there is none."""
        if table.folders:
            return None
        if table.shared:
            return self._grid(table, table.file.text)
        own = table.file.bound({"video": video_id})
        names = [own.text] if own.plain else [name for name, _ in own.found(self._names)]
        if not names or self._optional(names[0]) is None:
            return None
        return self._grid(table, names[0])

    def _clips(self, table: TablePlan, video_id: str) -> Clips:
        """The video's clips in folders that are named after labels: path, values of its parts."""
        if not table.folders:
            return []
        found = table.file.bound({"video": video_id}).found(self._names)
        return [(path, {**values, "video": video_id}) for path, values in found]

    def _media_of(self, plan: Plan, video_id: str, facts: Facts, clips: Sequence[str]) -> Recording:
        rate = facts.rate or plan.rate or self.rate
        known = rate is not None and (facts.duration or facts.frames) is not None
        sized = all(t.holds != BOXES or t.unit != "pixels" or t.size for t in plan.tables)
        pattern = plan.media.bound({"video": video_id}) if plan.media else None
        first = max(table.time.base for table in plan.tables)
        return media_of(self, pattern, clips, not (known and sized), first)

    def _nothing_of(self, plan: Plan, video_id: str) -> NoReturn:
        own = [table.file for table in plan.tables if not table.shared]
        name = (own[0] if own else plan.tables[0].file).bound({"video": video_id}).text
        raise SourceMissing(
            f"{self.name}: {name} is missing", expected=name, where=name, fix=self.card.how_to_get
        )


def _meaning(plan: Plan, rate: Fraction, media: Recording, length_us: int | None) -> Meaning:
    width, height = media.media.width, media.media.height
    size = (float(width), float(height)) if width and height else None
    return Meaning(
        plan.words, rate, size, None if length_us is None else Fraction(length_us, SECOND_US)
    )

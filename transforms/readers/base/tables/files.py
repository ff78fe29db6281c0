"""Find and parse the files that a plan describes."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, NoReturn

from surgqa.ontology.concepts import label_map
from surgqa.ontology.errors import ColumnMissing, SourceBroken, SourceMissing
from surgqa.ontology.records import Code, Source
from surgqa.transforms.readers.base.contract import Reader
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.lines import no_row
from surgqa.transforms.readers.base.own_videos import VideoRow, facts_by_video
from surgqa.transforms.readers.base.patterns import Names, PathPattern, Places
from surgqa.transforms.readers.base.shared import parsed_once
from surgqa.transforms.readers.base.tables import grid as grids
from surgqa.transforms.readers.base.tables.coco_rows import CocoFile, Part, broken, coco_file
from surgqa.transforms.readers.base.tables.coloured import (
    Coloured,
    Palette,
    PictureFile,
    read_palette,
)
from surgqa.transforms.readers.base.tables.lines import (
    check_columns,
    refuse_strangers,
    rows_by_video,
    video_column,
)
from surgqa.transforms.readers.base.tables.pictures import PictureFiles, by_frame
from surgqa.transforms.readers.base.tables.plan import MappingPlan, TablePlan, VideosPlan
from surgqa.transforms.readers.base.tables.sorts import ALL, COCO, END, FRAMES, LABELS
from surgqa.transforms.readers.base.words import Mapped

Clips = list[tuple[str, dict[str, str]]]


class Parsed(NamedTuple):
    """The content of a table about one video.

    Attributes:
        content: a parsed table; or the bytes of a table with a row for every frame, the files of a
            table with one file for each image, or a video's part of a COCO file.
        source: the file, or the first of several files.
    """

    content: grids.ParsedTable | bytes | PictureFiles | Part
    source: Source

    @property
    def sources(self) -> list[Source]:
        """All files of the table."""
        if isinstance(self.content, PictureFiles):
            return self.content.sources
        return [self.source]

    @property
    def grid(self) -> grids.ParsedTable:
        """The parsed table."""
        assert isinstance(self.content, grids.ParsedTable)
        return self.content


class TablesRead(NamedTuple):
    """The tables of one video.

    Attributes:
        files: one entry for each table, None if the video has no file of it.
        clips: for each table, the video's clips in folders that are named after labels.
        film: path of the video file; None if there is none.
    """

    files: list[Parsed | None]
    clips: list[Clips]
    film: str | None = None


class TableFiles(Reader):
    """Finds and parses the files that a plan describes; subclasses provide the plan."""

    _once: dict[str, tuple[str, ...]] | None = None
    """Names in each folder, kept while a video is read, so that a folder is listed once."""

    def _names(self, folder: str) -> tuple[str, ...]:
        if self._once is None:
            return super()._names(folder)
        if folder not in self._once:
            self._once[folder] = super()._names(folder)
        return self._once[folder]

    @abstractmethod
    def _plan(self) -> tuple[MappingPlan, tuple[Source, ...]]:
        """Return the plan, and the files below the root from which it was read."""

    def videos(self) -> list[str]:
        """Return the ids of the videos to read, sorted.

        Raises:
            SourceMissing: no file of the dataset exists.
            SourceBroken: a row is about a video that the table of videos does not list.
        """
        found, (plan, _) = super().videos(), self._plan()
        if plan.videos and (self.root / plan.videos.file).is_file():
            listed = sorted(self._facts(plan)[0])
            for table in plan.tables:
                for grid in self._shared_grids(table, self._listing):
                    refuse_strangers(table, grid, listed, plan.videos.file)
        return found

    def found(self) -> list[str]:
        """Return all videos that the tables name: in a row, in a file name or in a folder name."""
        plan, _ = self._plan()
        listed = plan.videos is not None and (self.root / plan.videos.file).is_file()
        facts = set(self._facts(plan)[0]) if listed else set()
        names = cache(self._listing)  # tables of one folder list it once
        each = [self._found_in(table, names) for table in plan.tables if table.holds != END]
        if plan.needs == ALL:
            return sorted(set.intersection(*each))
        return sorted(facts.union(*each))

    def _found_in(self, table: TablePlan, names: Names) -> set[str]:
        """Return the videos of one table."""
        if not table.shared:
            found = table.places.found(names, bool(self._plan()[0].spelled))
            return {own for _, values in found if (own := self._plan()[0].id_of(values["video"]))}
        if table.holds == COCO:
            paths = {path for _, rule in table.places.rules for path in rule if path.found(names)}
            return {video for path in paths for video in self._coco(table, path.text)[0].cases
                    if path in table.places.of(video)}  # fmt: skip
        return {video for grid in self._shared_grids(table, names)
                for video in rows_by_video(grid, *video_column(table))}  # fmt: skip

    def _shared_grids(self, table: TablePlan, names: Names) -> list[grids.ParsedTable]:
        """Return the existing files of a table that have rows of several videos."""
        if not table.shared or table.holds == COCO:
            return []
        files = [self._first(paths, names) for _, paths in table.places.rules]
        return [self._grid(table, file).grid for file in files if (self.root / file).is_file()]

    def _tables(
        self, plan: MappingPlan, video_id: str, facts: Mapping[str, VideoRow], ledger: Ledger
    ) -> TablesRead:
        """Return the content of each table about the video, and clips in folders named by label."""
        files: list[Parsed | None] = []
        there: set[str] = set()
        for table in plan.tables:
            file = None if table.unless in there else self._table(plan, table, video_id, ledger)
            there |= {table.name} if file else set()
            files.append(file)
        clips = [self._clips(table, video_id) for table in plan.tables]
        labels = [one for one, table in zip(files, plan.tables, strict=True) if table.holds != END]
        if video_id not in facts and not any(labels) and not any(clips):
            self._nothing_of(plan, video_id)
        return TablesRead(files, clips)

    def _facts(self, plan: MappingPlan) -> tuple[dict[str, VideoRow], list[Source]]:
        """Return the rows of the table of videos, by video; and the table as a source."""
        there = plan.videos and (
            not plan.videos.optional or (self.root / plan.videos.file).is_file()
        )
        if plan.videos is None or not there:
            return {}, []
        grid, source = self._columns(plan.videos)
        return facts_by_video(grid, plan.videos.columns, plan.videos.picture), [source]

    def _columns(self, listed: VideosPlan) -> tuple[grids.ParsedTable, Source]:
        data, source = self._source(listed.file)
        return parsed_once(
            data, source, grids.read_grid if listed.header else grids.read_headless
        ), source

    def _names_of(self, plan: MappingPlan) -> tuple[Mapping[str, Any], list[Source]]:
        """Return, for each kind, how its labels are spelled; and the files that were read for this.

        Some datasets write codes into their tables and list the name of each code in a file.
        """
        words, sources = dict(plan.words), []
        for kind, listed in plan.names.items():
            grid, source = self._columns(listed)
            grid.refuse_bad()
            code, name = (_position(grid, listed.columns[role]) for role in ("code", "name"))
            names = {cells[code]: cells[name] for _, cells in grid.rows}
            words[kind] = Mapped(kind, label_map(self.card.label_map), names, source.path)
            sources.append(source)
        return words, sources

    def _grid(self, table: TablePlan, name: str) -> Parsed:
        data, source = self._source(name)
        if table.holds in (FRAMES, END):
            return Parsed(data, source)
        if table.list:
            words = [table.columns[kind] for kind in table.kinds()]
            columns = tuple(dict.fromkeys(table.columns.values()))
            grid = grids.read_list(data, name, table.list, columns, tuple(dict.fromkeys(words)))
        elif table.names:
            grid = grids.read_named(data, name, table.names, table.blanks)
        else:
            grid = parsed_once(
                data, source, grids.read_grid if table.header else grids.read_headless
            )
        check_columns(table, grid)
        return Parsed(grid, source)

    def _table(
        self, plan: MappingPlan, table: TablePlan, video_id: str, ledger: Ledger
    ) -> Parsed | None:
        """Return the content of a table about a video; None if the video has no file of it."""
        if table.folders:
            return None
        needed = plan.needs == ALL
        paths = table.places.of(video_id)
        if table.holds == COCO:
            return self._part(plan, table, video_id)
        if table.pictured:
            return self._pictures_of(table, video_id, ledger)
        if table.shared:
            file = self._grid(table, self._first(paths or table.places.rules[0][1]))
            if needed:
                self._one_row(table, file, video_id)
            return file
        for own in paths:
            names = self._spelled(plan, table.places, video_id) or [own.text]
            if not own.plain:
                names = [name for name, _ in own.found(self._names)]
            for name in names if table.first_line else names[:1]:
                if self._begins(table, name):
                    return self._grid(table, name)
        if needed and paths:
            self._source(paths[0].text)
        return None

    def _coco(self, table: TablePlan, path: str) -> tuple[CocoFile, Source]:
        """Return a parsed file that contains many videos."""
        data, source = self._source(path)
        file = parsed_once(data, source, coco_file)
        for video, where in file.where.items():
            if not table.places.fits(video):
                raise broken(where, "a picture of a video", video)
        return file, source

    def _part(self, plan: MappingPlan, table: TablePlan, video_id: str) -> Parsed | None:
        """Return what the first COCO file that lists a video says of it; None if none lists it."""
        there = [path.text for path in table.places.of(video_id) if path.found(self._names)]
        for path in there:
            file, source = self._coco(table, path)
            if video_id in file.cases:
                instances = "instrument" in table.columns
                return Parsed(file.part(source, video_id, plan.words, instances), source)
        return None

    def _folders(self, table: TablePlan, video_id: str) -> tuple[list[str], PathPattern]:
        """Return the folders with a video's files, and the pattern of the files.

        There are several folders if each instance has a folder.
        """
        for own in table.places.of(video_id):
            found = [path.rpartition("/")[0] for path, _ in own.found(self._names)]
            if found:
                return sorted({*found}) if table.parts else found[:1], own
        return [], PathPattern("")

    def _pictures_of(self, table: TablePlan, video_id: str, ledger: Ledger) -> Parsed | None:
        folders, pattern = self._folders(table, video_id)
        before, files = len(ledger.entries()), []
        for row, folder in enumerate(folders):
            name = pattern.text.rpartition("/")[2]
            for frame, path in by_frame(self._names(folder), name, folder, ledger):
                files.append(
                    PictureFile(frame, *self._source(path), row, folder.rpartition("/")[2])
                )
        if not files:
            return None
        classes = self._classes(table.coloured) if table.coloured else None
        if table.coloured:
            files += self._instances(table.coloured, folders[0], [f.frame for f in files], ledger)
        others = len(ledger.entries()) - before
        ordered = tuple(sorted(files, key=lambda f: (f.frame, f.code < 0, f.row, f.source.path)))
        return Parsed(PictureFiles(table, video_id, ordered, others, classes), ordered[0].source)

    def _classes(self, coloured: Coloured) -> tuple[Palette, Source]:
        data, source = self._source(self._first(coloured.files))
        return parsed_once(data, source, read_palette), source

    def _instances(
        self, coloured: Coloured, folder: str, frames: list[int], ledger: Ledger
    ) -> list[PictureFile]:
        """Return the masks of single instances in these ``frames``; others are rejected."""
        where = coloured.instances.replace("{above}", folder.rpartition("/")[0]).rpartition("/")[0]
        names = [name for name in self._names(where) if name.endswith(".png")] if where else []
        out = []
        for place, (name, frame, code, number) in enumerate(coloured.typed(names, frames)):
            if frame < 0:
                reason = f"{name!r} belongs to no frame that has a label picture"
                ledger.reject((place,), Code.BAD_FRAME, reason, f"{where}/{name}")
            else:
                found = self._source(f"{where}/{name}")
                out.append(PictureFile(frame, *found, code=code, number=number))
        return out

    def _spelled(self, plan: MappingPlan, places: Places, video_id: str) -> list[str]:
        """Return the files of a video whose names spell the video's id in another way."""
        found = places.found(self._names, True) if plan.spelled else []
        return [name for name, values in found if plan.id_of(values["video"]) == video_id]

    def _begins(self, table: TablePlan, name: str) -> bool:
        """True if a file exists and its first line fits ``first_line`` of the table."""
        there = self._optional(name)
        if there is None or not table.first_line:
            return there is not None
        first = there[0].partition(b"\n")[0].decode("utf-8-sig", "replace").strip()
        return re.fullmatch(table.first_line, first) is not None

    def _one_row(self, table: TablePlan, file: Parsed, video_id: str) -> None:
        """Raise an error if a table has no row for the video, or several for any video."""
        name = file.source.path
        rows = rows_by_video(file.grid, *video_column(table))
        if video_id not in rows:
            raise no_row(file.source, video_id)
        for video, lines in rows.items():
            if len(lines) > 1 and table.holds == LABELS:
                line = file.grid.rows[lines[1]][0]
                raise SourceBroken(
                    f"{name} contains {video} twice", expected="one row for each video",
                    found=video, where=file.grid.place(line), fix="download the file again",
                )  # fmt: skip

    def _first(self, paths: Sequence[PathPattern], names: Names | None = None) -> str:
        """Return the first of these paths that exists; the first path if none does."""
        for path in paths[1:] and paths:
            there = path.found(names or self._names)
            if there:
                return there[0][0]
        return paths[0].text

    def _clips(self, table: TablePlan, video_id: str) -> Clips:
        """Return path and placeholder values of the video's clips in folders named after labels."""
        if not table.folders:
            return []
        found = table.file.bound({"video": video_id}).found(self._names)
        return [(path, {**values, "video": video_id}) for path, values in found]

    def _nothing_of(self, plan: MappingPlan, video_id: str) -> NoReturn:
        own = [table for table in plan.tables if not table.shared and table.holds != END]
        table = next((table for table in own if table.columns), (own or plan.tables)[0])
        paths = table.places.of(video_id)
        name = paths[0].shown if paths else f"{video_id}"
        if (self.root / name).is_file():
            raise SourceMissing(
                f"{name} does not list {video_id}", expected=video_id, where=name,
                fix=self.card.how_to_get,
            )  # fmt: skip
        raise self._missing_file(name)


def _position(grid: grids.ParsedTable, name: str) -> int:
    place = grid.column(name)
    if place is None:
        raise ColumnMissing(
            f"{grid.name} has no column {name!r}", expected=name, found=", ".join(grid.columns),
            where=grid.place(1), fix="download the file again",
        )  # fmt: skip
    return place

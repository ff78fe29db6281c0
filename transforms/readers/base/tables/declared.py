"""The reader of a dataset that is described by ``files.yaml`` alone, without any Python."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from surgqa.ontology.concepts import label_map
from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Clock, Source
from surgqa.ontology.times import SECOND_US, period_us
from surgqa.transforms import registry
from surgqa.transforms.readers.base.groups import filled, split_group
from surgqa.transforms.readers.base.own_videos import VideoClock, VideoRow
from surgqa.transforms.readers.base.patterns import PathPattern
from surgqa.transforms.readers.base.tables import sorts
from surgqa.transforms.readers.base.tables.build import Built
from surgqa.transforms.readers.base.tables.files import TablesRead
from surgqa.transforms.readers.base.tables.parse import dataset_plan
from surgqa.transforms.readers.base.tables.pictures import name_for, names_from
from surgqa.transforms.readers.base.tables.plan import MappingPlan, TablePlan
from surgqa.transforms.readers.base.tables.reader import TablesReader
from surgqa.transforms.readers.base.words import Mapped

SLACK_US = 2 * SECOND_US
"""Labels that last longer than the video file by more than this belong to another video."""


class DeclaredReader(TablesReader):
    """Reader of one dataset; :func:`reader_of` makes the subclass for a name."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.name, self.__dict__)

    def _plan(self) -> tuple[MappingPlan, tuple[Source, ...]]:
        return plan_of(self.name), ()

    def missing(self) -> list[str]:
        """Return missing files of the complete release, relative to the root, sorted."""
        plan = plan_of(self.name)
        if not self.files.video_ids and not self.found():
            return super().missing()
        lists = {self._first(t.coloured.files) for t in plan.tables if t.coloured}
        shared = lists | {listed.file for listed in (plan.videos, *plan.names.values()) if listed}
        media = plan.media.found(self._names) if plan.media and not self.files.video_ids else ()
        shown = {values["video"] for _, values in media}
        ids = self.files.video_ids or {*self._own_ids(), *shown}
        listed = {table.name: self._found_in(table, self._listing)
                  for table in plan.tables if table.holds == sorts.COCO}  # fmt: skip
        expected = {
            name
            for table in plan.tables
            for video_id in ids
            if table.places.fits(video_id) and video_id not in listed.get(table.name, ())
            for name in self._expected(plan, table, video_id)
        }
        return sorted(name for name in shared | expected if not (self.root / name).is_file())

    def _expected(self, plan: MappingPlan, table: TablePlan, video_id: str) -> list[str]:
        """Return the files of a table that a complete release has for a video.

        For a table with one file for each image, these are the missing files of existing images.
        """
        if table.holds == sorts.COCO:
            paths = [path.text for path in table.places.of(video_id)]
            there = (path for path in paths if self._names(path.rpartition("/")[0]))
            return [next(there, paths[0])]
        folders, pattern = (
            self._folders(table, video_id) if table.pictured else ([], PathPattern(""))
        )
        if not folders or table.single:
            return [PathPattern(self._there(table, video_id)).shown]
        media = plan.media.of(video_id) if plan.media else (PathPattern(folders[0]),)
        beside = [table.beside.bound({"video": video_id})] if table.beside else media
        others = map(PathPattern, folders if table.parts else ())
        shown = [
            name
            for one in (*beside, *others)
            for folder in (
                [one.text] if one.plain else [path for path, _ in one.found(self._names)]
            )
            for name in self._names(folder)
        ]
        form = pattern.text.rpartition("/")[2]
        wanted = {name_for(PurePosixPath(name).stem, form) for name in shown} - {""}
        wanted |= {*names_from(form, self._names(folders[0]), table.count)}
        return [
            f"{folder}/{name}" for folder in folders for name in wanted - {*self._names(folder)}
        ]

    def _there(self, table: TablePlan, video_id: str) -> str:
        """Return the first path of a video's file that exists; if none exists, the first path."""
        paths = table.places.of(video_id)
        if not table.first_line:
            return self._first(paths)
        names = [name for path in paths for name, _ in path.found(self._names)]
        return next((name for name in names if self._begins(table, name)), paths[0].text)

    def _vocabulary(self, plan: MappingPlan, built: Built) -> Sequence[str]:
        return built.instruments.labels if built.instruments else ()

    def _about(self, plan: MappingPlan, video_id: str, facts: VideoRow) -> dict[str, Any]:
        found = (procedure for ids, procedure in plan.procedure.items()
                 if re.fullmatch(ids, video_id))  # fmt: skip
        patient = filled(plan.group, f"patient {facts.patient}") if facts.patient else ""
        group = patient or split_group(self.name, video_id)
        return {"procedure": next(found, self.card.procedure), "split_group": group}

    def _times(
        self, plan: MappingPlan, built: Built, clock: VideoClock, found: TablesRead
    ) -> dict[str, Any]:
        """Return rate, length, period and clock of a video; if nothing has a time, ``Clock.WHOLE``.

        Raises:
            SourceBroken: there is neither a time nor a label.
        """
        period = built.period_us or period_us(clock.timing.fps)
        film = clock.timing.duration_us or 0
        length = max(film, built.end_us)
        if film and length > film + SLACK_US and self.rate is None:
            raise SourceBroken(
                f"{self.name}: the labels of a video last longer than its video file",
                expected=f"labels for {film // SECOND_US} s", where=found.film,
                found=f"labels for {length // SECOND_US} s at {clock.timing.fps} frames a second",
                fix="use the video file of the release, or state the labels' frame rate as 'rate'",
            )  # fmt: skip
        if not length and not built.labels:
            name = next(file.source.path for file in found.files if file)
            raise SourceBroken(
                f"{name} contains no usable row", where=f"{name}:1",
                expected=", ".join(plan.tables[0].columns.values()), fix="download the file again",
            )  # fmt: skip
        return {"fps": clock.timing.fps, "duration_us": length or period, "period": period,
                "clock": clock.clock if length else Clock.WHOLE}  # fmt: skip


@cache
def plan_of(name: str) -> MappingPlan:
    """Return the plan of a dataset.

    Raises:
        UserError: ``files.yaml`` is wrong; the error names file and line.
    """
    card = registry.card(name)
    known = label_map(card.label_map)
    words = {kind: Mapped(kind, known) for kind in known}
    text, where = registry.declaration(name)
    return dataset_plan(text, where, words, card.procedure, card.specialty, card.licence)


@cache
def reader_of(name: str) -> type[DeclaredReader]:
    """Return the class of the reader of a dataset without ``reader.py``."""
    text, _ = registry.declaration(name)
    plan = plan_of(name)
    during = [kind for table in plan.tables if table.during for kind in table.kinds()]
    return type("Reader", (DeclaredReader,), {
        "name": name,
        "version": text.data.get("version", 1),
        "span_kinds": tuple(sorted({
            *plan.kinds(sorts.SPAN_KINDS, sorts.SEGMENTS, sorts.EVENTS, sorts.FRAMES, sorts.COCO),
            *plan.kinds(("action",), sorts.QUESTIONS), *during,
        })),
        "label_kinds": plan.kinds(sorts.LABEL_KINDS, sorts.LABELS, sorts.RATINGS),
        "region_kinds": plan.kinds(sorts.AREA_KINDS, sorts.EVENTS, sorts.BOXES, *sorts.PICTURED),
        "__module__": __name__,
        "__doc__": f"Reader of {registry.card(name).title}, as its files.yaml declares it.",
    })  # fmt: skip


def _again(name: str, state: dict[str, Any]) -> DeclaredReader:
    """Return the reader from its pickled form."""
    out = reader_of(name).__new__(reader_of(name))
    out.__dict__.update(state)
    return out

"""Read exports of labelling tools: boxes, masks, tracks from COCO, YOLO, CVAT, Label Studio.

An optional ``surgqa.yaml`` next to the files states the meaning of words, how images are named, and
how many images there are per second.  ``docs/your_data.md`` explains its keys.
"""

from __future__ import annotations

from math import ceil
from typing import Any, NoReturn

import orjson

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.json_text import BOM, read_tree
from surgqa.ontology.records import Source, VideoEvidence
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.media.found import SUFFIXES
from surgqa.transforms.places import below
from surgqa.transforms.readers.base import Ledger, image_size, parsed_once
from surgqa.transforms.readers.base import Reader as BaseReader
from surgqa.transforms.readers.base.own_videos import media_of
from surgqa.transforms.readers.base.patterns import without_suffix
from surgqa.transforms.readers.base.shapes import MOST_FRAMES, ExportContent, pictures_of
from surgqa.transforms.readers.base.tables.sorts import AREA_KINDS, FILE
from surgqa.transforms.readers.base.yolo import class_names, has_polygons, read_yolo
from surgqa.transforms.readers.exports import build
from surgqa.transforms.readers.exports import plan as plans
from surgqa.transforms.readers.exports.coco import is_coco, read_coco
from surgqa.transforms.readers.exports.cvat import read_cvat
from surgqa.transforms.readers.exports.label_studio import is_label_studio, read_label_studio


class Reader(BaseReader):
    """Reader of exports of labelling tools."""

    name = "exports"
    version = 2
    replayable = True
    region_kinds = AREA_KINDS

    def found(self) -> list[str]:
        """Return the videos to which an image, a video file or the name of an export belongs."""
        plan, out = self._plan([]), set()
        for path, video in plans.export_files(plan, self._listing):
            if video:
                out.add(video)
            elif not (self.root / path).is_file():
                continue
            elif path.lower().endswith(".txt"):
                out.add(plans.picture_place(plan, without_suffix(path), path).video)
            else:
                export = self._export(plan, path, [])
                out |= {plans.film_id(film) for film in export.films}
                out |= {plans.whose_picture(plan, picture, "").video for picture in export.pictures}
        return sorted(out)

    def missing(self) -> list[str]:
        """Return missing files that the mapping names; if there are no exports, possible places."""
        there = plans.export_files(self._plan([]), self._listing)
        named = sorted(path for path, _ in there if not (self.root / path).is_file())
        return named if there else sorted(self.files.patterns.values())

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one video, from all exports."""
        sources: list[Source] = []
        plan = self._plan(sources)
        made = build.BuiltVideo(plan, Ledger(f"{self.name}/{video_id}", "shapes"))
        mine = self._gathered(plan, video_id, sources, made)
        if not mine.seen:
            self._nothing_of(plan, video_id)
        patterns = [plan.media.bound({"video": video_id})] if plan.media else []
        clips = [name for path in mine.stills[:1] for name in (path, f"images/{path}")
                 if path.lower().endswith(SUFFIXES)]  # fmt: skip
        media = media_of(self, patterns, clips, probed=True, first=plan.base)
        rate = plan.rate or self.rate or next((f.rate for f in mine.films if f.rate), media.fps)
        stills = len(mine.stills) == len(mine.seen)
        clock = build.clock_of_pictures(mine, rate, stills, media)
        end = media.duration_us
        made.add(mine.seen, ceil(end * rate / SECOND_US) if end and rate else MOST_FRAMES)
        used = {one.picture.where.partition(":")[0].partition(" ")[0] for one in mine.seen}
        tables = made.tables(clock.timing.fps, build.pointer_of(sorted(used)))
        instruments = tables.pop("instrument", None)
        patient = next((name for name in sorted(mine.patients) if name), video_id)
        video = self._record(
            video_id, list(dict.fromkeys(sources)), fps=clock.timing.fps,
            duration_us=clock.timing.duration_us or 0, media=media.media,
            vocabulary=instruments.labels if instruments else (), period=clock.period_us,
            clock=clock.clock, procedure=plan.procedure, specialty=plan.specialty,
            licence=plan.licence, split_group=f"{self.name}/{patient}",
        )  # fmt: skip
        books = (made.ledger.books(made.read, made.kept),)
        return VideoEvidence(video, instruments, (), made.ledger.entries(), books, (), tables)

    def _plan(self, sources: list[Source]) -> plans.ExportPlan:
        found = self._optional(FILE)
        if found is None:
            return plans.ExportPlan()
        sources.append(found[1])
        return parsed_once(*found, plans.read_export_plan)

    def _gathered(
        self, plan: plans.ExportPlan, video_id: str, sources: list[Source], made: build.BuiltVideo
    ) -> build.Gathered:
        out, classes = build.Gathered(), plan.classes
        for place, (path, video) in enumerate(plans.export_files(plan, self._names)):
            if video not in ("", video_id):
                continue
            if path.lower().endswith(".txt"):
                stem = without_suffix(path)
                if not video and plans.picture_place(plan, stem, path).video != video_id:
                    continue
                classes = classes or self._classes(path, sources)
                export = self._yolo(path, classes, sources)
            else:
                export = self._export(plan, path, sources)
            for film in export.films:
                if (video or plans.film_id(film)) == video_id:
                    out.films.append(film)
                    out.seen += [build.ShownPicture(place, one.frame or 0, one, export.labels)
                                 for one in pictures_of(film, video_id)]  # fmt: skip
                    for left in export.left_out.get(film.path, ()):
                        made.leave_out(place, *left)
            for picture in export.pictures:
                whose = plans.whose_picture(plan, picture, video)
                if whose.video == video_id:
                    out.patients.add(whose.patient)
                    out.stills += [picture.path] if whose.frame is None else []
                    out.seen.append(
                        build.ShownPicture(place, whose.frame or 0, picture, export.labels)
                    )
        return out

    def _export(self, plan: plans.ExportPlan, path: str, sources: list[Source]) -> ExportContent:
        data, source = self._source(path)
        sources.append(source)
        export: ExportContent = parsed_once(data, source, read_export)
        if plan.files and not export.known:
            raise SourceBroken(
                f"{path} has an unknown format", expected="COCO, CVAT 1.1 or Label Studio",
                where=f"{path}:1", fix=f"remove it from files: in {FILE}",
            )  # fmt: skip
        return export

    def _yolo(self, path: str, names: tuple[str, ...], sources: list[Source]) -> ExportContent:
        """Return the image of one YOLO label file, as an export."""
        data, source = self._source(path)
        sources.append(source)
        size = self._size(path) if has_polygons(data) else None
        return ExportContent(path, names, (read_yolo(data, path, names, size),))

    def _classes(self, path: str, sources: list[Source]) -> tuple[str, ...]:
        name = plans.class_file(self._names)
        if name is None:
            raise SourceMissing(
                "data.yaml or classes.txt is missing, so the names of the classes are unknown",
                expected="data.yaml with names, classes.txt, or classes: [...] in surgqa.yaml",
                where=f"{path}:1", fix="write classes.txt next to the labels, one name per line",
            )  # fmt: skip
        data, source = self._source(name)
        sources.append(source)
        return parsed_once(data, source, class_names)

    def _size(self, path: str) -> tuple[int, int] | None:
        """Return the size of a label file's image, which is needed to convert polygons to masks."""
        stem = without_suffix(path.replace("labels/", "images/", 1))
        for name in (stem + suffix for suffix in SUFFIXES):
            if self._optional(name) is not None:
                return image_size(below(self.root, name), name)
        return None

    def _nothing_of(self, plan: plans.ExportPlan, video_id: str) -> NoReturn:
        named = [one.bound({"video": video_id}).text for one in plan.files if "video" in one.names]
        name = named[0] if named else FILE
        raise SourceMissing(
            f"{self.name}: no file has an image of {video_id}; {name} is missing or contains none",
            expected=name, where=name, fix=self.card.how_to_get,
        )  # fmt: skip


def read_export(data: bytes, name: str) -> ExportContent:
    """Read a file of COCO, Label Studio or CVAT; another format gives an empty export.

    Raises:
        SourceBroken: the file is neither JSON nor XML, or cannot be understood.
    """
    if name.lower().endswith(".xml"):
        return read_cvat(data, name)
    tree = _json(data, name)
    if is_coco(tree):
        return read_coco(tree, name)
    if is_label_studio(tree):
        return read_label_studio(tree, name)
    return ExportContent(name, (), known=False)


def _json(data: bytes, name: str) -> Any:
    """Parse JSON, with line and column in the error if it is malformed."""
    try:
        return orjson.loads(data.removeprefix(BOM))
    except orjson.JSONDecodeError:
        return read_tree(data, name)

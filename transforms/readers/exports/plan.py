"""The mapping of the reader ``exports``, and the files to read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import PurePosixPath

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.sections import Section, read_mapping
from surgqa.transforms.readers.base.patterns import (
    Names,
    PathPattern,
    match_end,
    pattern_of,
    without_suffix,
)
from surgqa.transforms.readers.base.shapes import AnnotatedFilm, AnnotatedPicture
from surgqa.transforms.readers.base.tables.sorts import AREA_KINDS, FILE
from surgqa.transforms.readers.base.words import KindWords, words_of
from surgqa.transforms.readers.base.yolo import CLASS_FILES, PLACES

KINDS = ("instrument", *AREA_KINDS)
"""Kinds of labelled shapes, in the order in which a shape's name is looked up by default."""

HIGHEST = 10**9
"""Limit of frame numbers; a larger number in a path is a date or something similar."""
KEYS = ("procedure", "specialty", "licence", "rate", "files", "pictures", "base", "classes",
         "media", "labels")  # fmt: skip
_USUAL = ("*.json", "*.xml", "annotations/*.json", "annotations/*.xml")
_FOLDERS = ("images", "image", "imgs", "frames", "pictures", "data", "labels", "train", "val",
            "test", "valid", "obj_train_data", "default", "")  # fmt: skip
"""Names of folders that are not names of videos."""


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """The whole mapping, or the defaults without a mapping.

    Attributes:
        files: paths of the exports; empty for the usual places.
        pictures: pattern of the paths of images, with the video and the frame; None for the usual
            patterns.
        base: number of the first frame in pictures' names.
        classes: names of YOLO's classes by number.
        words: for each kind of label, the user's words and their concepts.
    """

    procedure: str = "not stated"
    specialty: str = "not stated"
    licence: str = "not stated"
    rate: Fraction | None = None
    files: tuple[PathPattern, ...] = ()
    pictures: PathPattern | None = None
    base: int = 0
    classes: tuple[str, ...] = ()
    media: PathPattern | None = None
    words: Mapping[str, KindWords] | None = None

    def meaning(self, label: str) -> tuple[str, str] | str | None:
        """Return kind and concept of a name; a sentence why it is left out; None if unknown."""
        for kind, words in self.kinds().items():
            entry = words.known(label)
            if entry is not None:
                return (kind, entry) if isinstance(entry, str) else entry[0]
        return None

    def kinds(self) -> Mapping[str, KindWords]:
        """Return the words by kind: the words of the mapping, or all words of the ontology."""
        return _usual_words() if self.words is None else self.words


def read_export_plan(data: bytes, name: str) -> ExportPlan:
    """Parse and check a mapping.

    Raises:
        UserError: the mapping has a mistake. The error names file and line, what was expected, and
            the nearest word.
    """
    top = read_mapping(data, name).closed(KEYS)
    words = words_of(top, KINDS)
    return ExportPlan(
        top.word("procedure", "not stated"),
        top.word("specialty", "not stated"),
        top.word("licence", "not stated"),
        top.rate("rate"),
        _files(top),
        pattern_of(top, "pictures", ("video", "frame", "patient")),
        top.whole("base", (0, 1), 0),
        top.texts("classes"),
        pattern_of(top, "media", ("video",)),
        words or None,
    )


def _files(top: Section) -> tuple[PathPattern, ...]:
    texts = top.texts("files")
    inner = Section(top.text, top.file, (*top.path, "files"), dict(enumerate(texts)))  # type: ignore[arg-type]
    found = [pattern_of(inner, n, ("video",)) for n in range(len(texts))]  # type: ignore[arg-type]
    return tuple(one for one in found if one is not None)


@lru_cache(maxsize=1)
def _usual_words() -> Mapping[str, KindWords]:
    return {kind: KindWords(kind, {}, open=True, file=FILE) for kind in KINDS}


def export_files(plan: ExportPlan, names: Names) -> list[tuple[str, str]]:
    """Return the paths of all exports, each with its video or '', sorted.

    The files exist, except for files that the mapping names without a placeholder.
    """
    patterns = list(plan.files)
    if not patterns:
        patterns = [PathPattern(text) for text in _USUAL]
        patterns += [PathPattern(text) for text in _usual_yolo(plan, names)]
    found = {one.text: "" for one in patterns if one.plain}
    found |= {
        path: values.get("video", "") for one in patterns for path, values in one.found(names)
    }
    return sorted(
        (path, video) for path, video in found.items()
        if path != FILE and PurePosixPath(path).name not in CLASS_FILES
    )  # fmt: skip


def _usual_yolo(plan: ExportPlan, names: Names) -> list[str]:
    """Return the first default place with YOLO label files, if the classes are named."""
    if not plan.classes and class_file(names) is None:
        return []
    for text in PLACES:
        found = [path for path, _ in PathPattern(text).found(names)]
        if any(PurePosixPath(path).name not in CLASS_FILES for path in found):
            return [text]
    return []


def class_file(names: Names) -> str | None:
    """Return the file that names YOLO's classes."""
    there = names("")
    return next((name for name in CLASS_FILES if name in there), None)


@dataclass(frozen=True, slots=True)
class PicturePlace:
    """The video and the frame that the path of an image states.

    Attributes:
        frame: frame number from 0; None for a still image, which is a separate video.
    """

    video: str
    frame: int | None = None
    patient: str = ""


@lru_cache(maxsize=1 << 17)
def place_of(path: str, pattern: str, base: int, where: str) -> PicturePlace:
    """Return video and frame of an image, from its path.

    Args:
        pattern: pattern of the mapping, '' for the usual ways: ``video/000123.png``,
            ``video_000123.png``, ``video/frame_000123.png``; anything else is a still.
        where: place in the export, for messages.

    Raises:
        SourceBroken: the pattern does not fit, or frames do not count from ``base``.
    """
    fields = match_end(pattern, path) if pattern else _usual_place(path)
    frame = int(fields["frame"][:15]) - base if fields and fields.get("frame") else None
    countable = frame is None or 0 <= frame < HIGHEST
    if fields is None or not fields.get("video") or not countable:
        raise SourceBroken(
            f"the path {path!r} does not state the video of the image",
            expected=f"a path that ends like {pattern or '{video}_{frame}.png'}, from {base}",
            found=path,
            where=where,
            fix=f"correct 'pictures:' in {FILE}",
        )
    return PicturePlace(fields["video"], frame, fields.get("patient", ""))


def _usual_place(path: str) -> dict[str, str]:
    parts = without_suffix(path).split("/")
    stem, folder = parts[-1], parts[-2] if len(parts) > 1 else ""
    own = folder.casefold() not in _FOLDERS
    numbered = re.fullmatch(r"(?:(?:frame|img|image)[_-]?)?([0-9]{1,9})", stem, re.IGNORECASE)
    if numbered:
        return {"video": folder, "frame": numbered[1]} if own else {"video": stem}
    named = re.fullmatch(r"(.+?)[_-](?:frame[_-]?)?([0-9]{1,9})", stem)
    return {"video": named[1], "frame": named[2]} if named else {"video": stem}


def film_id(film: AnnotatedFilm) -> str:
    """Return the id of a video file: its name without the ending."""
    return PurePosixPath(without_suffix(film.path)).name


def whose_picture(plan: ExportPlan, picture: AnnotatedPicture, video: str) -> PicturePlace:
    """Return the video of an image.

    Args:
        video: the video of the file, whatever the names of its images say; '' if the file holds
            several videos.
    """
    if picture.video and picture.frame is not None and not plan.pictures:
        return PicturePlace(video or picture.video, picture.frame)
    place = picture_place(plan, picture.path, picture.where)
    return PicturePlace(video, place.frame, place.patient) if video else place


def picture_place(plan: ExportPlan, path: str, where: str) -> PicturePlace:
    """Return video and frame of an image like :func:`place_of`, but by the plan's pattern."""
    return place_of(path, plan.pictures.text if plan.pictures else "", plan.base, where)

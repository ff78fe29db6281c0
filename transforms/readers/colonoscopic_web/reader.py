"""Read Colonoscopic-web: videos whose folder is their class and whose name is their light."""

from __future__ import annotations

import re
from typing import NamedTuple

from surgqa.ontology.concepts import label_map
from surgqa.ontology.records import Code, Source, VideoEvidence
from surgqa.transforms.readers.base import (
    BLANKS,
    DelimitedLine,
    Ledger,
    parsed_once,
    read_delimited,
)
from surgqa.transforms.readers.base.gallery import FILMS, GalleryReader, alias
from surgqa.transforms.readers.base.lines import Grouped, grouped, no_row
from surgqa.transforms.readers.base.whole import Stated, whole_labels

LISTS = ("splits/train.csv", "splits/val.csv", "splits/test.csv")
RELEASE = (("Adenoma", 36, 75), ("Hyperplasic", 0, 20), ("Serrated", 21, 35))
"""Folder, first and last lesion; there are two videos of each lesion, one in each light."""
LIGHTS = ("NBI", "WL")
NAME = re.compile(r"(?:(?P<light>NBI|WL)|(?P<other>\w+)(?=\())(?:\((?P<number>\d{1,4})\))?")


class VideoPath(NamedTuple):
    """Path of a video file: the folder is the class; in the release, the stem is ``WL(36)``."""

    folder: str
    stem: str
    suffix: str

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.stem}{self.suffix}"

    @property
    def light(self) -> str | None:
        """The light, such as ``WL``, before the bracket; None if the name has another form."""
        match = NAME.fullmatch(self.stem)
        return match["light"] or match["other"] if match else None

    @property
    def lesion(self) -> str | None:
        """The lesion's id, such as ``lesion36``; a name without a number has number 0."""
        match = NAME.fullmatch(self.stem)
        return f"lesion{int(match['number'] or 0):02d}" if match else None

    @property
    def video_id(self) -> str:
        """Id of the video, which reveals neither its class nor its light."""
        return alias(self.lesion or "film", f"{self.folder}/{self.stem}")


def listed(data: bytes, name: str) -> Grouped:
    """Return the rows of a list by video; a row has the video's path and a class number."""
    table = read_delimited(data, name, ("path", "class"), delimiter=BLANKS,
                           header=("path", "class"))  # fmt: skip
    expected = "a path that ends in folder and file, such as Adenoma/WL(36).mp4"
    return grouped(table, lambda row: (film := _film(row["path"])) and film.video_id, expected)


class Reader(GalleryReader):
    """Reader of Colonoscopic-web: its videos, or only lists of them."""

    name = "colonoscopic_web"
    version = 1
    label_kinds = ("finding", "condition")
    replayable = True

    def found(self) -> list[str]:
        """Return the videos in the class folders or in a list."""
        return sorted({*self._there(), *self._listed()[0]})

    def missing(self) -> list[str]:
        """Return the missing videos of the release; if some lists exist, also the missing lists."""
        films = [film for video_id, film in _release().items() if video_id not in self._there()]
        lists = [name for name in LISTS if not (self.root / name).is_file()]
        return sorted([film.path for film in films] + (lists if len(lists) < len(LISTS) else []))

    def read(self, video_id: str) -> VideoEvidence:
        """Return the class and the light of one video."""
        rows, sources = self._listed()
        own = rows.get(video_id, ())
        film = self._there().get(video_id) or (own and _film(own[0][0]["path"]))
        if not film and sources:
            raise no_row([self._source(name)[1] for name in LISTS][0], video_id)
        film = film or _release().get(video_id) or VideoPath("", video_id, ".mp4")
        if not own:
            sources = [*sources, self._film_source(film.path)]
        ledger = Ledger(f"{self.name}/{video_id}", "label rows" if own else "films")
        known, places = label_map(self.name), [where for _, where in own] or [film.path]
        bad = [where for row, where in own if _contradicts(row, film.folder)]
        for at, where in enumerate(bad):
            reason = f"folder {film.folder} and the class's number say different things"
            ledger.reject((-1, at), Code.CONTRADICTION, reason, where)
        words = [film.folder, *([film.light] if film.light else [])]
        stated = [Stated(words, where.partition(":")[0], where) for where in places
                  if where not in bad]  # fmt: skip
        labels, kept = whole_labels(stated, known, self.label_kinds, ledger)
        group = f"{self.name}/{film.lesion or video_id}"
        recording = self._recording(film.path, probed=True)
        video = self._whole(video_id, sources, recording, split_group=group)
        books = ledger.books(len(places), kept)
        return VideoEvidence(video, None, (), ledger.entries(), (books,), labels)

    def _there(self) -> dict[str, VideoPath]:
        """Return the videos in the class folders, by id."""
        classes = [name for name in label_map(self.name)["finding"] if not name.isdigit()]
        found = [_film(f"{name}/{file}") for name in classes for file in self._names(name)]
        return {film.video_id: film for film in found if film and film.suffix.lower() in FILMS}

    def _listed(self) -> tuple[dict[str, tuple[tuple[DelimitedLine, str], ...]], list[Source]]:
        """Return the rows of all lists by video, and the lists."""
        rows: dict[str, tuple[tuple[DelimitedLine, str], ...]] = {}
        sources = []
        for data, source in filter(None, map(self._optional, LISTS)):
            sources.append(source)
            for video_id, own in parsed_once(data, source, listed).items():
                rows[video_id] = (*rows.get(video_id, ()), *own)
        return rows, sources


def _film(path: str) -> VideoPath | None:
    match = re.search(r"(?:^|/)([^/]+)/([^/]+?)(\.\w+)$", path)
    return VideoPath(*match.groups()) if match else None


def _contradicts(row: DelimitedLine, folder: str) -> bool:
    known = label_map(Reader.name)["finding"]
    return folder in known and known[folder] != known.get(row["class"])


def _release() -> dict[str, VideoPath]:
    films = [
        VideoPath(folder, f"{light}({number})" if number else light, ".mp4")
        for folder, first, last in RELEASE
        for number in range(first, last + 1)
        for light in LIGHTS
    ]
    return {film.video_id: film for film in films}

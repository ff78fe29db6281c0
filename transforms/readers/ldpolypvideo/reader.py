"""Read LDPolypVideo: frames with boxes of polyps, and videos labelled as with or without polyps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from surgqa.ontology.concepts import label_map
from surgqa.ontology.files import read_text
from surgqa.ontology.records import Clock, Code, VideoEvidence, VideoLabel
from surgqa.ontology.times import frame_to_us
from surgqa.transforms.readers.base import Ledger, whole_number
from surgqa.transforms.readers.base.framed import Framed, framed_regions, picture_box
from surgqa.transforms.readers.base.gallery import FILMS, GalleryReader, alias

PARTS = {"trainvalid": ("TrainValid", "Train"), "test": ("Test",)}
"""First part of a video id -> possible names of the video's folder."""
LONG = {"videos_with_polyps": (1, 42), "videos_without_polyps": (0, 61)}
"""Folder of long videos -> (first digit of their names: 1 if they show a polyp; how many)."""
SIZE = (560, 480)
"""Width and height of the release's frames, used if no frame exists."""


class Sequence(NamedTuple):
    """Folders of one sequence of frames, relative to the root: annotation files and images."""

    notes: str
    pictures: str


class Reader(GalleryReader):
    """Reader of LDPolypVideo; the folder may hold only some of its videos."""

    name = "ldpolypvideo"
    version = 1
    label_kinds = ("finding",)
    region_kinds = ("finding",)
    replayable = True

    def found(self) -> list[str]:
        """Return sequences of annotated frames, and long videos."""
        return sorted({*self._sequences(), *self._films()})

    def missing(self) -> list[str]:
        """Return missing long videos, and annotation files for which only the image exists."""
        there = self._films()
        gone = [] if self.found() else super().missing()
        gone += [path for video_id, path in _release().items() if video_id not in there]
        for where in self._sequences().values():
            noted = {_frame(name) for name in self._names(where.notes)}
            without_notes = [n for n in self._names(where.pictures) if _frame(n) not in noted]
            gone += [f"{where.notes}/{name.rpartition('.')[0]}.txt" for name in without_notes]
        return sorted(gone)

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one sequence or long video.

        Raises:
            SourceMissing: it does not exist.
        """
        film = {**_release(), **self._films()}.get(video_id)
        return self._read_film(video_id, film) if film else self._read_frames(video_id)

    def _read_film(self, video_id: str, path: str) -> VideoEvidence:
        """Return the evidence of a long video; its folder states if it shows a polyp (1 or 0)."""
        folder = path.split("/")[0]
        source = self._film_source(path)
        video = self._whole(video_id, [source], self._recording(path, probed=True))
        concept = label_map(self.name)["finding"][folder]
        label = VideoLabel("finding", concept, float(LONG[folder][0]), "", path, path)
        return VideoEvidence(
            video, None, (), (), (Ledger(video.key, "films").books(1, 1),), (label,)
        )

    def _read_frames(self, video_id: str) -> VideoEvidence:
        where = self._sequences().get(video_id) or Sequence(*_usual(video_id))
        names = sorted((n for n in self._names(where.notes) if n.endswith(".txt")), key=_order)
        notes = [self._source(f"{where.notes}/{name}") for name in names]
        if not notes:
            self._source(f"{where.notes}/1.txt")
        media = self._pictures(where.pictures, [_frame(name) for name in names[:1]])
        size = (media.width or SIZE[0], media.height or SIZE[1])
        ledger = Ledger(f"{self.name}/{video_id}", "annotation files")
        by_frame: dict[int, list[Framed]] = {}
        for at, (data, source) in enumerate(notes):
            frame = _frame(source.path)
            polyps = (
                None if frame in by_frame else _polyps(data, source.path, frame, size, ledger, at)
            )
            if frame in by_frame:
                reason = f"frame {frame} has another file already"
                ledger.reject((at,), Code.DUPLICATE_FRAME, reason, source.path)
            elif polyps is not None:
                by_frame[frame] = polyps
        fps = self.rate or Fraction(1)
        things = [polyp for polyps in by_frame.values() for polyp in polyps]
        pointer = f"{where.notes}: frame {{frame}}, polyp {{row}}"
        labels = set(label_map(self.name)["finding"].values())
        video = self._record(
            video_id, [source for _, source in notes], fps=fps, media=media,
            duration_us=frame_to_us(max(by_frame, default=0) + 1, fps),
            clock=Clock.TIME if self.rate else Clock.ORDER,
        )  # fmt: skip
        return VideoEvidence(
            video, None, (), ledger.entries(), (ledger.books(len(notes), len(by_frame)),),
            regions={"finding": framed_regions(things, by_frame, fps, labels, pointer)},
        )  # fmt: skip

    def _sequences(self) -> dict[str, Sequence]:
        """Return sequences by id, such as ``test-007``; a sequence is a folder called ``7``."""
        found: dict[str, Sequence] = {}
        for part, tops in PARTS.items():
            for top in tops:
                for name in self._names(f"{top}/Annotations"):
                    if name.isdecimal():
                        video_id = f"{part}-{int(name):03d}"
                        paths = f"{top}/Annotations/{name}", f"{top}/Images/{name}"
                        found.setdefault(video_id, Sequence(*paths))
        return found

    def _films(self) -> dict[str, str]:
        """Return the paths of long videos by id; the paths reveal the label, the ids do not."""
        paths = [f"{folder}/{name}" for folder in LONG for name in self._names(folder)]
        stems = {path: path.rpartition(".")[0] for path in paths if path.lower().endswith(FILMS)}
        return {alias("video", stem): path for path, stem in stems.items()}


def _release() -> dict[str, str]:
    stems = [f"{folder}/{label}_{number}" for folder, (label, last) in LONG.items()
             for number in range(1, last + 1)]  # fmt: skip
    return {alias("video", stem): f"{stem}.avi" for stem in stems}


def _usual(video_id: str) -> tuple[str, str]:
    part, _, number = video_id.partition("-")
    top = PARTS.get(part, ("TrainValid",))[0]
    name = number.lstrip("0") or "0"
    return f"{top}/Annotations/{name}", f"{top}/Images/{name}"


def _frame(name: str) -> int:
    """Return the last number in a file name."""
    match = re.search(r"(\d{1,9})\D*$", name.rpartition(".")[0])
    return int(match[1]) if match else 0


def _order(name: str) -> tuple[int, str]:
    return _frame(name), name


def _polyps(
    data: bytes, name: str, frame: int, size: tuple[int, int], ledger: Ledger, at: int
) -> list[Framed] | None:
    """Return the polyps of a frame; empty if the file says 0; None if the file is invalid."""
    lines = [line.split() for line in read_text(data, name).split("\n") if line.strip()]
    count = whole_number(lines[0][0]) if lines and len(lines[0]) == 1 else None
    if count is None:
        reason = "the first line is not the number of polyps"
        ledger.reject((at,), Code.BAD_ROW, reason, f"{name}:1")
        return None
    if count != len(lines) - 1:
        reason = f"the first line says {count} polyps and {len(lines) - 1} lines follow"
        ledger.reject((at,), Code.CONTRADICTION, reason, f"{name}:1")
        return None
    return list(_boxes(lines[1:], name, frame, size, ledger, at))


def _boxes(
    lines: list[list[str]], name: str, frame: int, size: tuple[int, int], ledger: Ledger, at: int
) -> Iterator[Framed]:
    for row, line in enumerate(lines):
        corners, where = [whole_number(cell) for cell in line], f"{name}:{row + 2}"
        good = corners if len(corners) == 4 else [None] * 4
        box = picture_box(good, size, ledger, (at, row), where)
        yield Framed(frame, "finding", label_map("ldpolypvideo")["finding"]["polyp"], box, row,
                     where)  # fmt: skip

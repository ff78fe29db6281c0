"""Reads LDPolypVideo: frames with boxes of polyps, and films labelled with or without."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from ontology.concepts import label_map
from ontology.files import read_text
from ontology.records import Clock, Code, Source, VideoEvidence, VideoLabel
from ontology.times import frame_to_us, period_us
from transforms.readers.base import Ledger, whole_number
from transforms.readers.base.framed import Framed, framed_regions, picture_box
from transforms.readers.base.gallery import FILMS, GalleryReader, alias

PARTS = {"trainvalid": ("TrainValid", "Train"), "test": ("Test",)}
"""Part of an id -> names of its folder; the first that is there is taken."""
LONG = {"videos_with_polyps": 1.0, "videos_without_polyps": 0.0}
SIZE = (560, 480)
POLYP = "polyp"


class Reader(GalleryReader):
    """LDPolypVideo, whole or in part."""

    name = "ldpolypvideo"
    version = 1
    label_kinds = ("finding",)
    region_kinds = ("finding",)
    replayable = True

    def found(self) -> list[str]:
        """Folders with annotated frames, and long films."""
        return sorted({*self._sequences(), *self._films()})

    def missing(self) -> list[str]:
        """As for every reader, and the annotation of every picture that has none."""
        gone = [name for video_id in self._sequences() for name in self._unsaid(video_id)]
        return sorted({*super().missing(), *gone})

    def read(self, video_id: str) -> VideoEvidence:
        """All that the dataset says of one sequence of frames or one film."""
        film = self._films().get(video_id)
        return self._read_film(video_id, film) if film else self._read_frames(video_id)

    def _read_film(self, video_id: str, path: str) -> VideoEvidence:
        """The folder says whether there is a polyp anywhere in it: 1 or 0."""
        folder = path.split("/")[0]
        source = self._film_source(path)
        video = self._whole(video_id, [source], self._recording(path, probed=True))
        concept = label_map(self.name)["finding"][folder]
        label = VideoLabel("finding", concept, LONG[folder], "", path, path)
        books = Ledger(video.key, "films").books(1, 1)
        return VideoEvidence(video, None, (), (), (books,), (label,))

    def _read_frames(self, video_id: str) -> VideoEvidence:
        folder, pictures = self._folders_of(video_id)
        names = [name for name in self._names(folder) if name.endswith(".txt")]
        numbered = {}
        for name in names:
            frame = _frame(name)
        return VideoEvidence(None, None)

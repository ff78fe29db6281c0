"""Read ProstaTD: a folder per video with a LabelMe file per image (``psiv1/302300.json``).

File names state only the order of the images.  Times come from the rate at which the dataset says
it was annotated, or from the rate that the user passes in.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import partial
from typing import Any

from ontology.concepts import label_map
from ontology.errors import SourceBroken
from ontology.records import Clock, Source, VideoEvidence
from ontology.times import frame_to_us
from transforms.readers.base import Ledger, read_json
from transforms.readers.base import Reader as BaseReader
from transforms.readers.base.whole_frames import WholeFrames
from transforms.readers.prostatd.shapes import shape_of

VIDEO = re.compile(r"(esadv|psiv|pwhv)\d+")
PICTURE = re.compile(r"(\d{1,12})(?:_(\d{1,6}))?\.(json|jpe?g|png)", re.IGNORECASE)


class Reader(BaseReader):
    """Reader of ProstaTD; the dataset may be incomplete."""

    name = "prostatd"
    version = 2
    replayable = True

    def found(self) -> list[str]:
        """Video folders that contain label files."""
        videos = [name for name in self._names("") if VIDEO.fullmatch(name)]
        return [video for video in videos if self._files(video)]

    def missing(self) -> list[str]:
        """Label patterns of videos without labels, and label files of images that have none."""
        found, pattern = self.found(), self.files.patterns["labels"]
        out = [pattern.format(video_id=v) for v in self.files.video_ids if v not in found]
        for video in found:
            labelled = {name.rpartition(".")[0] for name in self._files(video)}
            shown = {n.rpartition(".")[0] for n in self._names(video) if PICTURE.fullmatch(n)}
            out += [f"{video}/{stem}.json" for stem in shown - labelled]
        return sorted(out)

    def read(self, video_id: str) -> VideoEvidence:
        """The evidence of one video."""
        names = self._files(video_id)
        if not names:
            self._source(self.files.patterns["labels"].format(video_id=video_id))
        known = label_map(self.card.label_map)
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        sources: list[Source] = []
        frames = WholeFrames(ledger)
        read = 0
        for frame, file in enumerate(names):
            data, source = self._source(f"{video_id}/{file}")
            sources.append(source)
            entries, size = _picture(data, source.path)
            read += len(entries)
            frames.open(frame)
            for row, entry in enumerate(entries):
                understand = partial(shape_of, entry, *size, known)
                frames.add(frame, (frame, row), f"{source.path} shapes[{row}]", understand)
        fps = self.rate or Fraction(1)
        pointer = f"picture {{frame}} of {video_id} in order, shapes[{{row}}]"
        tables, kept = frames.close(known, ("instrument",), fps, pointer)
        table = tables["instrument"]
        video = self._record(
            video_id, sources, fps=fps, duration_us=frame_to_us(len(names), fps),
            vocabulary=table.labels, clock=Clock.TIME if self.rate else Clock.ORDER,
        )  # fmt: skip
        books = (ledger.books(read, kept),)
        return VideoEvidence(video, table, (), ledger.entries(), books)

    def _files(self, video_id: str) -> list[str]:
        """Names of a video's label files, in the order of their images."""
        found = [match for match in map(PICTURE.fullmatch, self._names(video_id)) if match]
        ordered = sorted(found, key=lambda match: (int(match[1]), int(match[2] or 0), match[0]))
        return [match[0] for match in ordered if match[3] == "json"]


def _picture(data: bytes, name: str) -> tuple[list[Any], tuple[int, int]]:
    """Shapes of an image, and its width and height in pixels."""
    tree = read_json(data, name).data
    entries, size = tree.get("shapes"), (tree.get("imageWidth"), tree.get("imageHeight"))
    if not isinstance(entries, list) or not all(type(n) is int and n > 0 for n in size):
        raise SourceBroken(
            f"{name} is not a label file of an image",
            expected="shapes, imageWidth and imageHeight",
            found=", ".join(tree) or "nothing",
            where=f"{name}:1",
            fix="download the file again from the release",
        )
    return entries, (int(size[0] or 0), int(size[1] or 0))

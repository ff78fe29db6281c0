"""Read EndoVis-17-VQLA: ``vqla/label/seq1_frame015.txt``, ``left_frames/seq1_frame015.jpg``."""

from __future__ import annotations

import re
from fractions import Fraction

from ontology.errors import SourceBroken
from ontology.records import Clock, Media, VideoEvidence
from transforms.readers.base.media import still
from transforms.readers.base.vqla.lines import VqlaReader

STILL = re.compile(r"(seq_?(\d+)_frame\d+)(?:_QA)?\.\w+")
FOLDERS = ("vqla/label", "vqla")


class Reader(VqlaReader):
    """Reader of EndoVis-17-VQLA; each still image is a separate video."""

    name = "endovis17_vqla"
    version = 1
    replayable = True

    def found(self) -> list[str]:
        """Still images that have a label file."""
        return sorted(self._labels())

    def missing(self) -> list[str]:
        """Label files that do not exist although their images do."""
        labels = self._labels()
        if not labels:
            return super().missing()
        matches = map(STILL.fullmatch, self._names("left_frames"))
        ids = {match[1] for match in matches if match}
        return sorted(f"vqla/label/{still}.txt" for still in ids - labels.keys())

    def _labels(self) -> dict[str, str]:
        """Image -> path of its label file; the folder and the suffix differ between copies."""
        out: dict[str, str] = {}
        for folder in FOLDERS:
            for name in self._names(folder):
                match = STILL.fullmatch(name)
                if match and name.endswith(".txt"):
                    out.setdefault(match[1], f"{folder}/{name}")
        return out

    def read(self, video_id: str) -> VideoEvidence:
        """The evidence of one still image."""
        label = self._labels().get(video_id, f"vqla/label/{video_id}.txt")
        match = STILL.fullmatch(f"{video_id}.txt")
        group = f"endovis2017/instrument_dataset_{match[2]}" if match else f"{self.name}/{video_id}"
        names = tuple(f"left_frames/{video_id}.{ending}" for ending in ("jpg", "png", "jpeg"))
        media = self._still(names)
        self.seen.append(("picture", (names,), media))
        return self._evidence(
            video_id, [(0, label)], media, Fraction(1), Clock.WHOLE, split_group=group
        )

    def _still(self, names: tuple[str, ...]) -> Media:
        """The first of these images that exists, or ABSENT."""
        name = next((name for name in names if (self.root / name).is_file()), names[0])
        return still(self.root, name)

    def _picture(self, names: tuple[str, ...]) -> Media | None:
        """Like ``_still``, but None for a damaged image; for :meth:`unchanged`."""
        try:
            return self._still(names)
        except SourceBroken:
            return None

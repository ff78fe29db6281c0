"""Read EndoVis-18-VQLA (``seq_1/vqla/label/frame000_QA.txt``) and the older EndoVis-18-VQA."""

from __future__ import annotations

import re
from fractions import Fraction

from ontology.records import Clock, VideoEvidence
from transforms.readers.base.vqla.lines import VqlaReader

LABEL = re.compile(r"frame(\d+)(?:_.*)?\.txt")
FOLDERS = ("vqla/label", "vqa/Classification")


class Reader(VqlaReader):
    """Reader of EndoVis-18-VQLA; the dataset may be incomplete."""

    name = "endovis18_vqla"
    version = 1
    replayable = True

    def found(self) -> list[str]:
        """Sequences that have label files."""
        names = [name for name in self._names("") if re.fullmatch(r"seq_\d+", name)]
        return [name for name in names if self._labels(name)]

    def missing(self) -> list[str]:
        """Label folders that do not exist, and label files of frames that have features."""
        out = []
        for video_id in self.files.video_ids:
            if not self._labels(video_id):
                out.append(f"{video_id}/vqla/label")
            elif features := self._names(f"{video_id}/vqla/img_features/5x5"):
                stems = [name.removesuffix(".hdf5") for name in features]
                wanted = [f"{video_id}/vqla/label/{stem}_QA.txt" for stem in stems]
                there = {path for _, path in self._labels(video_id)}
                out += [path for path in wanted if path not in there]
        return sorted(out)

    def _labels(self, video_id: str) -> list[tuple[int, str]]:
        """(frame, path) of each label file, in the newer form if it exists, else in the older."""
        for folder in FOLDERS:
            names = self._names(f"{video_id}/{folder}")
            matches = [(LABEL.fullmatch(name), name) for name in names]
            found = {int(m[1]): f"{video_id}/{folder}/{name}" for m, name in matches if m}
            if found:
                return sorted(found.items())
        return []

    def read(self, video_id: str) -> VideoEvidence:
        """The evidence of one sequence."""
        labels = self._labels(video_id)
        if not labels:
            self._source(f"{video_id}/vqla/label")  # raises an error, because it is missing
        media = self._pictures(f"{video_id}/left_frames", [])
        # Frames were removed by hand, so the time between frames is unknown.
        return self._evidence(
            video_id, labels, media, Fraction(1), Clock.ORDER, split_group=f"endovis2018/{video_id}"
        )

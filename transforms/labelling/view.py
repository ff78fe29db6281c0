"""The parts of an evidence store that labelling needs."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa

from surgqa.ontology.errors import MediaMissing, PlaceUnusable
from surgqa.ontology.observed import require_masked
from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.places import RemotePath, place
from surgqa.transforms.store.evidence import EvidenceStore


class StoreView(EvidenceStore):
    """A local evidence store with its frames; the tables of one video are held in memory.

    Args:
        path: folder of the store.

    Raises:
        UserError: the store is in remote storage.
        OutputBroken: the folder contains no store.
        SourceBroken: the store's speech was not masked by the current rules. Its frames are not
            shown either.
    """

    path: Path

    def __init__(self, path: Path | str) -> None:
        here = place(str(path))
        if isinstance(here, RemotePath):
            raise PlaceUnusable(
                "labelling needs a store on this machine",
                expected="a local folder",
                found=str(path),
                fix="copy the store here, label, and copy its folders label/ and layers/ back",
            )
        super().__init__(here)
        self._held: tuple[str, dict[str, pa.Table]] = ("", {})
        for video_id in self.videos():
            require_masked(self.facts(video_id), f"videos/{video_id}/video.json")

    def table(self, video_id: str, kind: str) -> pa.Table:
        """Return one kind of evidence (see ``ontology.observed``); empty if there is none."""
        if video_id != self._held[0]:
            self._held = video_id, {}
        tables = self._held[1]
        if kind not in tables:
            tables[kind] = super().table(video_id, kind)
        return tables[kind]

    def picture(self, video_id: str, time_us: int) -> np.ndarray:
        """Return the frame on screen at a time: uint8 (H, W, 3), RGB, upright.

        Raises:
            SourceMissing: the video file was moved, and not observed where it is now.
            SourceBroken: the file is another recording, or cannot be decoded at this time.
        """
        from surgqa.transforms.media.frames import frame_at
        from surgqa.transforms.media.located import located

        medium = self.facts(video_id)["medium"]
        media = Media(MediaKind(medium["kind"]), medium["path"], first=medium.get("first", 0),
                      sha256=medium["sha256"])  # fmt: skip
        root = self.root(video_id)
        if root is None or not located(place(root), media).exists():
            raise MediaMissing(
                f"the file of {video_id} is missing",
                expected=medium["path"], found="no folder is known" if root is None else "no file",
                where=root or str(self.path),
                fix=f"observe the file where it is now: surgqa observe … --out {self.path}",
            )  # fmt: skip
        numerator, denominator = medium["fps"]
        return frame_at(place(root), media, time_us, Fraction(numerator, denominator))

"""The parts of an evidence store that labelling needs."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from surgqa.ontology.errors import MediaMissing, PlaceUnusable
from surgqa.ontology.observed import require_masked
from surgqa.ontology.records import MediaKind
from surgqa.transforms.places import RemotePath, place
from surgqa.transforms.store.evidence import EvidenceStore


class StoreView(Protocol):
    """Observed evidence with its frames."""

    @property
    def dataset(self) -> str:
        """The dataset whose videos were observed."""

    def videos(self) -> list[str]:
        """Return the ids of the videos with evidence, sorted."""

    def table(self, video_id: str, kind: str) -> pa.Table:
        """Return one kind of evidence (see ``ontology.observed``); empty if there is none."""

    def facts(self, video_id: str) -> dict[str, Any]:
        """Return the record of the video: its media file and its row counts."""

    def picture(self, video_id: str, time_us: int) -> np.ndarray:
        """Return uint8 (H, W, 3), RGB, upright: the frame on screen at the time."""


class FolderView:
    """A local evidence store; the tables of one video are held in memory.

    Args:
        path: folder of the store.

    Raises:
        UserError: the store is in remote storage.
        OutputBroken: the folder contains no store.
        SourceBroken: the store's speech was not masked by the current rules. Its frames are not
            shown either.
    """

    def __init__(self, path: Path | str) -> None:
        here = place(str(path))
        if isinstance(here, RemotePath):
            raise PlaceUnusable(
                "labelling works on a store on this machine",
                expected="a local folder",
                found=str(path),
                fix="copy the store here, label, and copy its folders label/ and layers/ back",
            )
        self.path = here
        self._store = EvidenceStore(here)
        self._held: tuple[str, dict[str, pa.Table]] = ("", {})
        for video_id in self._store.videos():
            require_masked(self._store.facts(video_id), f"videos/{video_id}/video.json")

    @property
    def dataset(self) -> str:
        return self._store.dataset

    def videos(self) -> list[str]:
        return self._store.videos()

    def table(self, video_id: str, kind: str) -> pa.Table:
        if video_id != self._held[0]:
            self._held = video_id, {}
        tables = self._held[1]
        if kind not in tables:
            tables[kind] = self._store.table(video_id, kind)
        return tables[kind]

    def facts(self, video_id: str) -> dict[str, Any]:
        return self._store.facts(video_id)

    def picture(self, video_id: str, time_us: int) -> np.ndarray:
        """Return the frame on screen at the time.

        Raises:
            SourceMissing: the video file has been moved since it was observed.
            SourceBroken: the video cannot be decoded at this time.
        """
        from surgqa.transforms.media.frames import frame_at

        medium = self.facts(video_id)["medium"]
        root = self._store.root(video_id) or medium.get("root")
        if root is None:
            raise MediaMissing(
                f"the media folder of {video_id} is not known on this machine",
                expected="the folder of its media in local.json",
                where=str(self.path),
                fix="run 'surgqa observe' on this machine with the same store",
            )
        media = {"kind": MediaKind(medium["kind"]), "path": medium["path"]}
        numerator, denominator = medium["fps"]
        return frame_at(place(root), media, time_us, Fraction(numerator, denominator))

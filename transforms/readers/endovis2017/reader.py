"""Read EndoVis 2017: ``train/instrument_dataset_1/ground_truth/<Name>_labels/frame000.png``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from ontology.concepts import label_map
from ontology.errors import SourceBroken
from ontology.records import Code, VideoEvidence
from ontology.times import frame_to_us
from transforms.readers.base import Ledger
from transforms.readers.base import Reader as BaseReader
from transforms.readers.base.mask_frames import (
    Fault,
    MaskFrames,
    Patch,
    ids_of,
    judged,
    numbered,
)

FPS = Fraction(2)
MASK = re.compile(r"frame(\d+)\.png")
PARTS = {"shaft": 10, "wrist": 20, "claspers": 30}
OTHER = "other_instrument"
# In a frame of this size, the image inside the black border.
BORDERED = (1080, 1920)
INSIDE = (slice(28, 28 + 1024), slice(320, 320 + 1280))


class Reader(BaseReader):
    """Reader of EndoVis 2017; the dataset may be incomplete."""

    name = "endovis2017"
    version = 1
    replayable = True

    def found(self) -> list[str]:
        """Sequences that have masks; test sequences are called ``test_instrument_dataset_1`` …"""
        return sorted(self._places())

    def _places(self) -> dict[str, str]:
        """Folder of each sequence that has masks."""
        out = {}
        for above in ("", *self._names("")):
            for name in self._names(above):
                place = f"{above}/{name}".lstrip("/")
                sequence = re.fullmatch(r"instrument_dataset_\d+", name)
                if sequence and "ground_truth" in self._names(place):
                    out[f"test_{name}" if "test" in above.lower() else name] = place
        return out

    def missing(self) -> list[str]:
        """Mask folders that do not exist, and masks that only other instruments have."""
        places = self._places()
        absent = [video for video in self.files.video_ids if video not in places]
        out = [self.files.patterns["masks"].format(video_id=video) for video in absent]
        for place in places.values():
            folders = [f"{place}/ground_truth/{name}" for name in self._instruments(place)]
            there = {folder: set(self._names(folder)) for folder in folders}
            every = set[str]().union(*there.values(), self._names(f"{place}/left_frames"))
            wanted = {name for name in every if MASK.fullmatch(name)}
            out += [f"{folder}/{name}" for folder in folders for name in wanted - there[folder]]
        return sorted(out)

    def _instruments(self, place: str) -> list[str]:
        folders = self._names(f"{place}/ground_truth")
        return [name for name in folders if name.lower().endswith("_labels")]

    def read(self, video_id: str) -> VideoEvidence:
        """The evidence of one sequence."""
        place = self._places().get(video_id, f"train/{video_id}")
        folders = [f"{place}/ground_truth/{name}" for name in self._instruments(place)]
        if not folders:
            self._source(f"{place}/ground_truth")  # raises an error: it is missing or empty
        ledger, sources, kept = Ledger(f"{self.name}/{video_id}", "masks"), [], 0
        names = [[n for n in self._names(f) if n.endswith(".png")] for f in folders]
        both = list(zip(folders, names, strict=True))
        paths = [dict(numbered(some, MASK, folder, ledger)) for folder, some in both]
        concepts = [_concept(folder) for folder in folders]
        frames = MaskFrames()
        for number in sorted(set[int]().union(*paths)):
            parts: dict[str, list[Patch] | Fault] = {}
            for track, of in enumerate(paths):
                if number in of:
                    data, source = self._source(of[number])
                    sources.append(source)
                    parts[of[number]] = _shown(data, of[number], concepts[track], track)
            lacking = [f for f, of in zip(folders, paths, strict=True) if number not in of]
            if lacking:
                reason = f"frame {number} has no mask in {lacking[0].rpartition('/')[2]}"
                where = next(iter(parts))
                ledger.reject((number,), Code.INCOMPLETE_INSTANT, reason, where, len(parts))
            else:
                kept += judged(number, parts, frames, ledger)
        pointer = f"{place}/ground_truth frame {{frame}}, folder {{row}} counted from 0"
        every = sorted(_known().values())
        video = self._record(
            video_id,
            sources,
            fps=FPS,
            duration_us=frame_to_us(max(frames.numbers, default=0) + 1, FPS),
            media=self._pictures(f"{place}/left_frames", []),
            vocabulary=every,
            split_group=f"{self.name}/{video_id.removeprefix('test_')}",
        )
        books = (ledger.books(sum(map(len, names)), kept),)
        table = frames.table("instrument", every, FPS, pointer)
        return VideoEvidence(video, table, rejected=ledger.entries(), books=books)


def _known() -> Mapping[str, str]:
    return label_map(Reader.name)["instrument"]


def _concept(folder: str) -> str:
    """The instrument in a folder's name, such as ``Left_Prograsp_Forceps_labels``."""
    name = folder.rpartition("/")[2].lower()
    known = _known()
    concept = next((known[part] for part in known if part.lower() in name), None)
    if concept is None:
        raise SourceBroken(
            f"{folder} has no known instrument in its name",
            expected=", ".join(known),
            found=name,
            where=folder,
            fix="rename the folder to its name in the release",
        )
    return concept


def _shown(data: bytes, name: str, concept: str, track: int) -> list[Patch] | Fault:
    """One instrument and its parts; in masks of other instruments, values do not denote parts."""
    ids = ids_of(data, name, range(256) if concept == OTHER else (0, *PARTS.values()))
    if not isinstance(ids, np.ndarray):
        return ids
    ids = ids[INSIDE] if ids.shape == BORDERED else ids
    extra: dict[str, float | str] = {}
    if concept != OTHER:
        extra = {f"{part}_area": float((ids == id_).mean()) for part, id_ in PARTS.items()}
    side = name.split("/")[-2].partition("_")[0].lower()
    if side in ("left", "right"):
        extra["side"] = side
    return [Patch("instrument", concept, ids > 0, track, track, extra)]

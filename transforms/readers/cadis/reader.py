"""Read CaDIS: ``Video01/Labels/Video1_frame000090.png``; its grey values are class ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ontology.concepts import label_map
from ontology.records import Clock, VideoEvidence
from ontology.times import frame_to_us
from transforms.readers.base import Ledger
from transforms.readers.base import Reader as BaseReader
from transforms.readers.base.mask_frames import MaskFrames, Patch, ids_of, judged, numbered

MASK = re.compile(r"Video\d+_frame(\d+)\.png")
# Index: class id.
CLASSES = (
    "Pupil", "Surgical Tape", "Hand", "Eye Retractors", "Iris", "Skin", "Cornea",
    "Hydrodissection Cannula", "Viscoelastic Cannula", "Capsulorhexis Cystotome",
    "Rycroft Cannula", "Bonn Forceps", "Primary Knife", "Phacoemulsifier Handpiece",
    "Lens Injector", "I/A Handpiece", "Secondary Knife", "Micromanipulator",
    "I/A Handpiece Handle", "Capsulorhexis Forceps", "Rycroft Cannula Handle",
    "Phacoemulsifier Handpiece Handle", "Capsulorhexis Cystotome Handle",
    "Secondary Knife Handle", "Lens Injector Handle", "Suture Needle", "Needle Holder",
    "Charleux Cannula", "Primary Knife Handle", "Vitrectomy Handpiece", "Mendez Ring", "Marker",
    "Hydrodissection Cannula Handle", "Troutman Forceps", "Cotton", "Iris Hooks",
)  # fmt: skip
KINDS = ("instrument", "structure")


class Reader(BaseReader):
    """Reader of CaDIS; the dataset may be incomplete."""

    name = "cadis"
    version = 1
    replayable = True
    region_kinds = ("structure",)

    def found(self) -> list[str]:
        """Videos that have a folder of masks."""
        folders = [name for name in self._names("") if re.fullmatch(r"Video\d+", name)]
        return [name for name in folders if "Labels" in self._names(name)]

    def missing(self) -> list[str]:
        """Mask folders that do not exist, and missing masks of images that exist."""
        out = []
        for video_id in self.files.video_ids:
            folder, masks = f"{video_id}/Labels", self._names(f"{video_id}/Labels")
            names = self._names(f"{video_id}/Images")
            wanted = [f"{name.rpartition('.')[0]}.png" for name in names]
            out += [f"{folder}/{name}" for name in wanted if masks and name not in masks]
            out += [] if masks else [folder]
        return sorted(out)

    def read(self, video_id: str) -> VideoEvidence:
        """The evidence of one video."""
        folder = f"{video_id}/Labels"
        names = [name for name in self._names(folder) if name.endswith(".png")]
        ledger = Ledger(f"{self.name}/{video_id}", "masks")
        frames, sources, kept = MaskFrames(), [], 0
        for number, path in numbered(names, MASK, folder, ledger):
            data, source = self._source(path)
            sources.append(source)
            ids = ids_of(data, path, range(len(CLASSES)))
            shown = list(_patches(ids)) if isinstance(ids, np.ndarray) else ids
            kept += judged(number, {path: shown}, frames, ledger)
        if not sources:
            self._source(folder)  # raises an error: the folder is missing or has no masks
        fps = self.rate or Fraction(1)
        known = {kind: set(label_map(self.name)[kind].values()) for kind in KINDS}
        pointer = f"{folder} frame {{frame}}, id {{row}}"
        tables = {kind: frames.table(kind, sorted(known[kind]), fps, pointer) for kind in KINDS}
        video = self._record(
            video_id,
            sources,
            fps=fps,
            duration_us=frame_to_us(max(frames.numbers, default=0) + 1, fps),
            media=self._pictures(f"{video_id}/Images", []),
            vocabulary=tables["instrument"].labels,
            split_group=f"cataracts/train{int(video_id.removeprefix('Video')):02d}",
            clock=Clock.TIME if self.rate else Clock.ORDER,
        )
        books = ledger.books(len(names), kept)
        return VideoEvidence(
            video,
            tables["instrument"],
            rejected=ledger.entries(),
            books=(books,),
            regions={"structure": tables["structure"]},
        )


def _patches(ids: np.ndarray) -> Iterator[Patch]:
    """One patch per concept; ``row`` is the id of its first class."""
    there = [id_ for id_ in range(len(CLASSES)) if (ids == id_).any()]
    for kind in KINDS:
        concepts = label_map(Reader.name)[kind]
        by_concept: dict[str, list[int]] = {}
        for id_ in there:
            if CLASSES[id_] in concepts:
                by_concept.setdefault(concepts[CLASSES[id_]], []).append(id_)
        for concept, members in by_concept.items():
            handles = [id_ for id_ in members if CLASSES[id_].endswith(" Handle")]
            share = float(np.isin(ids, handles).mean())
            extra = {"handle_area": share} if handles else {}
            yield Patch(kind, concept, np.isin(ids, members), members[0], attributes=extra)

"""Read CholecTrack20: a JSON file per video; its keys are frames of the 25 fps video, from 1.

A frame without a key is not annotated: absence of instruments cannot be concluded from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from surgqa.ontology.concepts import label_map
from surgqa.ontology.records import UNKNOWN, Span, VideoEvidence
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.readers.base import (
    Ledger,
    instants_of,
    read_json,
    sorted_spans,
    table_of_things,
)
from surgqa.transforms.readers.base import Reader as BaseReader
from surgqa.transforms.readers.base.frame_records import KnownFrames, known_frames
from surgqa.transforms.readers.cholectrack20.records import CONDITIONS, FIELDS, FrameState, Records

FPS = Fraction(25)
PARTS = {"train": "Training", "val": "Validation", "test": "Testing"}
FOLDERS = {word.casefold() for pair in PARTS.items() for word in pair}
PHASES = (
    "preparation", "calotTriangleDissection", "clippingAndCutting", "gallbladderDissection",
    "gallbladderPackaging", "cleaningAndCoagulation", "gallbladderRetraction",
)  # fmt: skip
"""Phase names by id; the files contain only ids."""
POINTER = "annotations, key {frame} + 1, record {row}"


class Reader(BaseReader):
    """Reader of CholecTrack20; the folder may hold only some of its videos."""

    name = "cholectrack20"
    version = 1
    span_kinds = ("condition", "phase")
    replayable = True

    def found(self) -> list[str]:
        """Return the videos with a label file; the case of file names does not matter."""
        return sorted(self._files(self._listing))

    def missing(self) -> list[str]:
        """Return the files of the complete release that do not exist."""
        there = self._files(self._listing)
        return sorted(self._usual(video) for video in self.files.video_ids if video not in there)

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one video."""
        name = self._files(self._names).get(video_id) or self._usual(video_id)
        data, source = self._source(name)
        text = read_json(data, name)
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        frames = known_frames(text, ledger, Records(text), 1, FIELDS)
        numbers, labels = frames.numbers, sorted(set(label_map(self.name)["instrument"].values()))
        instants = instants_of(numbers, FPS)
        spans = _spans(frames, instants, ledger)
        folder = name.rsplit("/", 1)[0]
        films = [f"{folder}/{n}" for n in self._names(folder) if n.lower().endswith(".mp4")]
        film, near = self._recording(*films).media, (numbers[:1] + 1).tolist()
        video = self._record(
            video_id, [source], fps=FPS, period=SECOND_US, vocabulary=labels,
            duration_us=int(instants[-1] if instants.size else 0) + SECOND_US,
            media=film if film.path else self._pictures(f"{folder}/Frames", near, first=1),
        )  # fmt: skip
        table = table_of_things(instants, numbers, frames.things, labels, POINTER)
        return VideoEvidence(
            video, table, spans, ledger.entries(), (ledger.books(frames.read, frames.kept),)
        )

    def _files(self, names: Callable[[str], Sequence[str]]) -> dict[str, str]:
        """Return each video's label file; one with the video's name has priority in its folder."""
        return {
            video: f"{part}/{folder}/{name}"
            for part in names("") if part.casefold() in FOLDERS
            for folder in names(part) if re.fullmatch(r"(?i)VID\d+", folder)
            for video in (folder.upper(),)
            for name in sorted(names(f"{part}/{folder}"), key=lambda n: n[:-5].upper() == video)
            if name.lower().endswith(".json")
        }  # fmt: skip

    def _usual(self, video_id: str) -> str:
        part = self.splits["official"].get(video_id, "train")
        return f"{PARTS[part]}/{video_id}/{video_id}.json"


def _spans(
    frames: KnownFrames[FrameState], instants: np.ndarray, ledger: Ledger
) -> tuple[Span, ...]:
    """Return conditions and phases; a condition holds if any record of the frame states it."""

    def runs(kind: str, codes: Sequence[int], labels: Sequence[str]) -> tuple[Span, ...]:
        concepts = [label_map(Reader.name)[kind][label] for label in labels]
        return frames.spans(kind, instants, codes, concepts, SECOND_US)

    phases = frames.agreed(lambda said: said.phase, "phase", ledger, len(PHASES))
    spans = [*runs("phase", phases, PHASES)]
    for one in CONDITIONS:
        held = [
            any(one in record.conditions for record in labels) for labels in frames.frame_labels
        ]
        spans += runs("condition", [0 if holds else UNKNOWN for holds in held], [one])
    return sorted_spans(spans)

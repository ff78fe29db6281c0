"""Read M2CAI16-Workflow: a phase file with 25 frames per second, in two folders.

Result files of the challenge (``…_pred.txt``) are not labels.  If a video has a timestamp file, its
last line shows whether the phase file is complete.
"""

from __future__ import annotations

import re
from fractions import Fraction

from ontology.concepts import label_map
from ontology.files import read_text
from ontology.records import Code, VideoEvidence
from ontology.times import SECOND_US, frame_to_us, print_seconds
from transforms.readers.base import Ledger, concept_of
from transforms.readers.base import Reader as BaseReader
from transforms.readers.base.frame_rows import FrameRows, read_frame_rows

FPS = Fraction(25)
FOLDERS = {"train_dataset": "workflow_video_", "test_dataset": "test_workflow_video_"}
TOLERANCE_US = SECOND_US
"""Largest accepted difference between the ends of a timestamp file and of the phases."""


class Reader(BaseReader):
    """Reader of M2CAI16-Workflow; the dataset may be incomplete."""

    name = "m2cai16_workflow"
    version = 1
    span_kinds = ("phase",)
    replayable = True

    def found(self) -> list[str]:
        """Videos that have a phase file."""
        return sorted(
            name.removesuffix(".txt")
            for folder, stem in FOLDERS.items()
            for name in self._listing(folder)
            if re.fullmatch(rf"{stem}\d+\.txt", name)
        )

    def missing(self) -> list[str]:
        """Files of the complete release that do not exist; test videos have no timestamps."""
        names = [f"{_folder(video)}/{video}.txt" for video in self.files.video_ids]
        names += [
            f"{_folder(video)}/{video}_timestamp.txt"
            for video, part in self.splits["official"].items()
            if part == "train"
        ]
        return sorted(name for name in names if not (self.root / name).is_file())

    def read(self, video_id: str) -> VideoEvidence:
        """The evidence of one video."""
        name = f"{_folder(video_id)}/{video_id}"
        data, source = self._source(f"{name}.txt")
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        rows = read_frame_rows(data, source.path, ledger)
        first = self._first(rows, ledger)
        known = label_map(self.name)
        spans, kept = rows.spans(
            "phase", FPS, lambda label: concept_of("phase", label, known), ledger, first
        )
        last = int(rows.frames[-1]) - first + 1 if rows.frames.size else 1
        stamps = self._optional(f"{name}_timestamp.txt")
        if stamps:
            _compare(stamps[0], stamps[1].path, frame_to_us(last, FPS), rows, ledger)
        video = self._record(
            video_id,
            [source, stamps[1]] if stamps else [source],
            fps=FPS,
            duration_us=frame_to_us(last, FPS),
            media=self._recording(f"{name}.mp4").media,
        )
        books = ledger.books(rows.read, kept)
        return VideoEvidence(video, None, spans, ledger.entries(), (books,))

    def _first(self, rows: FrameRows, ledger: Ledger) -> int:
        """Number of the first frame: 0, or 1 if the file counts from 1."""
        if not rows.frames.size or rows.frames[0] != 1:
            return 0
        where = f"{rows.name}:{rows.lines[0]}"
        reason = "the first frame has number 1: frames of this file are counted from 1"
        ledger.repair((0, int(rows.lines[0])), Code.BAD_FRAME, reason, where)
        return 1


def _folder(video_id: str) -> str:
    return "test_dataset" if video_id.startswith("test_") else "train_dataset"


def _compare(data: bytes, name: str, end_us: int, rows: FrameRows, ledger: Ledger) -> None:
    """Record it if the last time of a timestamp file differs from the end of the phases."""
    lines = [(n, line) for n, line in enumerate(read_text(data, name).split("\n"), 1)
             if line.strip()]  # fmt: skip
    number, line = lines[-1] if lines else (1, "")
    match = re.fullmatch(r"(\d{1,3}):(\d\d):(\d\d)\.(\d\d)\s+\S+", line.strip())
    if match is None:
        reason = f"the last line is {line[:40]!r} and not a time and a phase"
    else:
        hours, minutes, seconds, hundredths = map(int, match.groups())
        stamp_us = ((hours * 60 + minutes) * 60 + seconds) * SECOND_US + hundredths * 10_000
        if abs(stamp_us - end_us) <= TOLERANCE_US:
            return
        told, end = (print_seconds(t, 2) for t in (stamp_us, end_us))
        reason = f"the last time is {told} s, but the frames of {rows.name} end at {end} s"
    ledger.repair((1, number), Code.INCOMPLETE_INSTANT, reason, f"{name}:{number}")

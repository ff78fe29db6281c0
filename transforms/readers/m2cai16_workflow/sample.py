"""Write a small sample of M2CAI16-Workflow in its real layout; all its data are made up."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from surgqa.ontology.records import (
    Books,
    Code,
    Rejected,
    Source,
    Span,
    VideoEvidence,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.sample import put, true_video

PHASES = {
    "TrocarPlacement": "port_placement",
    "Preparation": "preparation",
    "CalotTriangleDissection": "calot_triangle_dissection",
    "ClippingCutting": "clipping_and_cutting",
    "GallbladderDissection": "gallbladder_dissection",
    "GallbladderPackaging": "gallbladder_packaging",
    "CleaningCoagulation": "cleaning_and_coagulation",
    "GallbladderRetraction": "gallbladder_extraction",
}
"""Phases in the official order, and the concept id of each."""
CHANGES = ((0, 5, 11, 24, 30, 42, 47, 52), (0, 3, 14, 20, 31, 38, 44, 51))
"""Second in which each phase begins, for two kinds of operations that alternate."""
FULL_SECONDS = 57


def write(
    root: Path, *, procedures: int = 2, seconds: int = FULL_SECONDS, variant: int = 0
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 27; every third one is a test video.
        seconds: length of each video without the part of a second at its end; 1 to 58.
        variant: 1 of every 2 counts frames from 1; 2 of every 3 end within a second; 1 of every 5
            leaves out two phases; 1 of every 5 separates cells by blanks and has no timestamps.
    """
    root = Path(root)
    evidence = []
    for number in range(1, procedures + 1):
        test = number % 3 == 0
        video_id = f"{'test_' if test else ''}workflow_video_{number:02d}"
        folder = "test_dataset" if test else "train_dataset"
        frames = 25 * seconds + (0, 1, 13)[variant % 3]
        phases = [_phase(frame, number, variant % 5 == 3) for frame in range(frames)]
        first, gap = variant % 2, "   " if variant % 5 == 4 else "\t"
        files = [put(root, f"{folder}/{video_id}.txt", _labels(phases, first, gap))]
        if not test and variant % 5 != 4:
            files.append(put(root, f"{folder}/{video_id}_timestamp.txt", _stamps(phases)))
        put(root, f"{folder}/{video_id}_pred.txt", "Frame\tPhase\n0\t7\n")
        evidence.append(_truth(video_id, phases, first, files))
    return Truth(tuple(sorted(evidence, key=lambda one: one.video.video_id)))


def _labels(phases: list[str], first: int, gap: str) -> list[str]:
    return [f"Frame{gap}Phase", *(f"{first + n}{gap}{phase}" for n, phase in enumerate(phases))]


def _stamps(phases: list[str]) -> list[str]:
    lines = ["Frame\tPhase"]
    for number, phase in enumerate(phases, 1):
        seconds, hundredths = divmod(4 * number, 100)
        lines.append(f"00:{seconds // 60:02d}:{seconds % 60:02d}.{hundredths:02d}\t{phase}")
    return lines


def _phase(frame: int, number: int, fewer: bool) -> str:
    place = sum(25 * second <= frame for second in CHANGES[number % 2]) - 1
    if fewer and place in (0, 6):
        place += 1
    return list(PHASES)[place]


def _truth(video_id: str, phases: list[str], first: int, files: list[Source]) -> VideoEvidence:
    repairs: tuple[Rejected, ...] = ()
    if first:
        where = f"{files[0].path}:2"
        key = f"m2cai16_workflow/{video_id}"
        repairs = (Rejected("read", key, Code.BAD_FRAME, "", where, 1, "repaired"),)
    spans = []
    start = 0
    for frame in range(1, len(phases) + 1):
        if frame == len(phases) or phases[frame] != phases[start]:
            label, where = PHASES[phases[start]], f"lines {start + 2} to {frame + 1}"
            spans.append(Span("phase", label, 40_000 * start, 40_000 * frame, files[0].path, where))
            start = frame
    video = true_video(
        "m2cai16_workflow", video_id, "laparoscopic cholecystectomy", "general surgery",
        "on request, for non-commercial research", files, fps=Fraction(25), period_us=40_000,
        duration_us=40_000 * len(phases),
    )  # fmt: skip
    books = (Books("read", "label rows", len(phases), len(phases), 0),)
    return VideoEvidence(video, None, tuple(spans), repairs, books)

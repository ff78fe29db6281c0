"""Write a small sample of Cholec80 in its real layout; all its data are made up.

Layout and label names are those of the release; ``readers.base.scene`` defines the events.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from surgqa.ontology.records import Books, Source, Span, VideoEvidence
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.sample import Instance, put, true_table, true_video
from surgqa.transforms.readers.base.scene import FULL_SECONDS, seconds_of

TOOLS = {
    "Grasper": "grasper", "Bipolar": "bipolar", "Hook": "hook", "Scissors": "scissors",
    "Clipper": "clipper", "Irrigator": "irrigator", "SpecimenBag": "retrieval_bag",
}  # fmt: skip
"""Columns in the order of the file, and the concept id of each."""
PHASES = {
    "Preparation": "preparation",
    "CalotTriangleDissection": "calot_triangle_dissection",
    "ClippingCutting": "clipping_and_cutting",
    "GallbladderDissection": "gallbladder_dissection",
    "GallbladderPackaging": "gallbladder_packaging",
    "CleaningCoagulation": "cleaning_and_coagulation",
    "GallbladderRetraction": "gallbladder_extraction",
}
CHANGES = (0, 9, 22, 30, 41, 47, 52)
"""Second in which each phase begins."""
ODD_FRAMES = (0, 7, 24)
"""Frames after the last whole second of a video, by variant."""


def write(
    root: Path, *, procedures: int = 2, seconds: int = FULL_SECONDS, variant: int = 0
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 80.
        seconds: length of each video without the part of a second at its end; 1 to 58.
        variant: 1, 2 of every 3 end within a second; 1 of every 2 has no preparation; 3 of every
            7 have no phase files, no tool files, or all tools at all times.
    """
    root = Path(root)
    evidence = []
    for number in range(1, procedures + 1):
        frames = 25 * seconds + ODD_FRAMES[variant % 3]
        video_id = f"video{number:02d}"
        tools = _tools(video_id, frames, variant % 7 == 6)
        phases = [_phase(frame, number, variant % 2 == 1) for frame in range(frames)]
        files = {}
        if variant % 7 != 5:
            lines = ["\t".join(["Frame", *TOOLS])]
            for frame, seen in tools.items():
                cells = ["1" if tool in seen else "0" for tool in TOOLS]
                lines.append("\t".join([str(frame), *cells]))
            files["tool"] = put(root, f"tool_annotations/{video_id}-tool.txt", lines)
        if variant % 7 != 4:
            lines = ["Frame\tPhase", *(f"{n}\t{phase}" for n, phase in enumerate(phases))]
            files["phase"] = put(root, f"phase_annotations/{video_id}-phase.txt", lines)
        evidence.append(_truth(video_id, tools, phases, files))
    return Truth(tuple(evidence))


def _tools(video_id: str, frames: int, everything: bool) -> dict[int, set[str]]:
    """The tools in view at every 25th frame; the bag is in view in some seconds only."""
    happens = seconds_of(video_id)
    seen = {second.number - happens[0].number: second.seen for second in happens}
    out = {}
    for second in range((frames + 24) // 25):
        names = {tool.instrument.capitalize() for tool in seen.get(second, ())}
        if second % 9 == 4:
            names.add("SpecimenBag")
        out[25 * second] = set(TOOLS) if everything else names
    return out


def _phase(frame: int, number: int, no_preparation: bool) -> str:
    """The phase of a frame; in every other video, phases change one frame after a whole second."""
    begun = [k for k, second in enumerate(CHANGES) if 25 * second + (number + 1) % 2 <= frame]
    place = begun[-1] if begun else 0
    return list(PHASES)[max(place, 1) if no_preparation else place]


def _truth(
    video_id: str, tools: dict[int, set[str]], phases: list[str], files: dict[str, Source]
) -> VideoEvidence:
    labels = tuple(sorted(TOOLS.values()))
    table = None
    duration_us, rows = 40_000 * len(phases), 0
    if "tool" in files:
        order = list(TOOLS)
        seen = [
            [Instance(TOOLS[tool], None, None, order.index(tool) + 1) for tool in names]
            for names in tools.values()
        ]
        pointer = "frame {frame}, column {row} (that of the frame is 0)"
        table = true_table([40_000 * f for f in tools], list(tools), seen, labels, pointer)
        rows += len(tools)
    if "phase" in files:
        rows += len(phases)
    else:
        duration_us = 1_000_000 * len(tools)
    video = true_video(
        "cholec80", video_id, "laparoscopic cholecystectomy", "general surgery", "CC BY-NC-SA 4.0",
        tuple(files[kind] for kind in ("tool", "phase") if kind in files), fps=Fraction(25),
        period_us=1_000_000 if "tool" in files else 40_000, duration_us=duration_us,
        split_group=f"cholec/{video_id.removeprefix('video')}",
        vocabulary=labels if "tool" in files else (),
    )  # fmt: skip
    spans = _spans(phases, files["phase"].path) if "phase" in files else ()
    return VideoEvidence(video, table, spans, (), (Books("read", "label rows", rows, rows, 0),))


def _spans(phases: list[str], source: str) -> tuple[Span, ...]:
    out = []
    start = 0
    for frame in range(1, len(phases) + 1):
        if frame == len(phases) or phases[frame] != phases[start]:
            where = f"lines {start + 2} to {frame + 1}"
            label = PHASES[phases[start]]
            out.append(Span("phase", label, 40_000 * start, 40_000 * frame, source, where))
            start = frame
    return tuple(out)

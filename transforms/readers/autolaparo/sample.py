"""Write a small sample of AutoLaparo in its real layout; all its data are made up.

Layout, column names and label numbers are those of the release.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from surgqa.ontology.masks import encoded
from surgqa.ontology.records import (
    Books,
    InstrumentTable,
    Source,
    Span,
    Video,
    VideoEvidence,
)  # fmt: skip
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.pictures import HEIGHT, WIDTH, png
from surgqa.transforms.readers.base.sample import Instance, put, true_table, true_video

RELEASED = ("Task 1 Surgical workflow recognition", "Task 2 Laparoscope motion prediction",
            "Task 3 Instrument and key anatomy segmentation")  # fmt: skip
PHASES = ("preparation", "ligament_and_peritoneum_division",
          "uterine_vessel_and_ligament_division", "vagina_transection",
          "specimen_removal")  # fmt: skip
MOTIONS = ("static", "up", "down", "left", "right", "zoom_in", "zoom_out")
TOOLS = {20: "grasper", 60: "ligasure", 100: "dissecting_forceps", 140: "hook"}
SECONDS_A_PHASE = 12
GAP = 17
"""A second that has no row."""
CLIPS = (("171", 1, 1), ("001", 5, 0), ("228", 3, 2))
"""Clip, motion, and index of the phase."""
FRAMES = (1, 25, 50, 75, 100, 125)

Rectangle = tuple[int, int, int, int, int]
"""Grey value, and its pixels x1, y1, x2, y2; x2 and y2 are exclusive."""


def write(root: Path, *, procedures: int = 2, seconds: int = 40, variant: int = 0) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of operations, and number of clips; 1 to 3.
        seconds: length of an operation, 1 to 58.
        variant: 0 to 20; determines the names of the folders, whether phases are counted from 0,
            which tools are in view, and whether there are masks.
    """
    root = Path(root)
    folders = RELEASED if variant % 4 != 2 else ("task1", "Task_2", "task 3")
    base = 0 if variant % 3 == 1 else 1
    out = []
    for number in range(1, procedures + 1):
        out.append(_operation(root, folders[0], f"{number:02d}", seconds + number, base))
    clips = CLIPS[:procedures]
    lines = ["Clip\tLabel\tPhase", *(f"{c}\t{m}\t{p + base}" for c, m, p in clips)]
    if base == 0:
        lines.append(f"300\t0\t{base}")
    motions = put(root, f"{folders[1]}/laparoscope_motion_label.txt", _text(lines))
    masked = variant % 5 != 3
    rows = {clip: line for line, (clip, _, _) in enumerate(clips, start=2)}
    for clip, motion, phase in sorted(clips):
        happens = _clip(variant + int(clip)) if masked else {}
        out.append(_clip_truth(root, folders[2], clip, motion, phase, rows[clip], motions, happens))
    if base == 0 and not masked:  # without masks and videos, all clips of the table are found
        line = len(lines)
        out.append(_clip_truth(root, folders[2], "300", 0, 0, line, motions, {}))
    return Truth(tuple(out))


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _operation(root: Path, folder: str, video_id: str, seconds: int, base: int) -> VideoEvidence:
    rows = [(s, s // SECONDS_A_PHASE) for s in range(seconds) if s != GAP]
    lines = ["Frame\tPhase", *(f"{second + 1}\t{phase + base}" for second, phase in rows)]
    source = put(root, f"{folder}/labels/label_{video_id}.txt", _text(lines))
    spans: list[Span] = []
    first = 0
    for place, (second, phase) in enumerate(rows):
        last = place + 1 == len(rows) or rows[place + 1] != (second + 1, phase)
        if last:
            pointer = f"lines {first + 2} to {place + 2}"
            start, end = rows[first][0] * 1_000_000, (second + 1) * 1_000_000
            spans.append(Span("phase", PHASES[phase], start, end, source.path, pointer))
            first = place + 1
    video = _video(video_id, video_id, (source,), rows[-1][0] + 1, Fraction(1), ())
    books = Books("read", "label rows", len(rows), len(rows), 0)
    return VideoEvidence(video, None, tuple(spans), (), (books,))


def _clip(number: int) -> dict[int, list[Rectangle]]:
    """Frame -> rectangles of its mask: one tool in two pieces, a shaft alone, an empty mask, and a
    uterus behind a tool."""
    left = number % 7
    tool, other = (20, 60, 100, 140)[number % 4], (20, 60, 100, 140)[(number + 1) % 4]
    scenes: list[list[Rectangle]] = [
        [(180, 10, 10, 50, 40), (tool, left, 4, left + 9, 20), (tool + 20, left, 20, left + 9, 30)],
        [(tool, left, 2, left + 8, 12), (tool, 40, 2, 50, 12)],
        [(other + 20, 50, 0, 64, 48)],
        [],
        [(180, 0, 0, 64, 48), (other, 20, 20, 30 + left, 30)],
    ]
    return dict(zip(FRAMES[: 3 + number % 3], scenes, strict=False))


def _clip_truth(
    root: Path, folder: str, clip: str, motion: int, phase: int, line: int, motions: Source,
    happens: dict[int, list[Rectangle]],
) -> VideoEvidence:  # fmt: skip
    sources, pictures = [motions], {}
    for frame, rectangles in happens.items():
        grey = np.zeros((HEIGHT, WIDTH), dtype=np.uint8)
        for value, x1, y1, x2, y2 in rectangles:
            grey[y1:y2, x1:x2] = value
        name = f"{folder}/masks/{clip}{frame:03d}.png"
        sources.append(put(root, name, png(np.stack([grey] * 3, axis=2))))
        pictures[frame - 1] = grey
    words = tuple(sorted(TOOLS.values()))
    pointer = f"{folder}/masks/{clip}NNN.png, NNN = {{frame}} + 1, grey value {{row}}"
    regions, instruments = {}, None
    if pictures:
        regions = {"structure": _table(pictures, {180: "uterus"}, ("uterus",), pointer)}
        instruments = _table(pictures, TOOLS, words, pointer)
    part = {"001": "train", "171": "val"}.get(clip, "test")
    video = _video(f"clip{clip}", f"clips-{part}", tuple(sources), 10, Fraction(25),
                   words if pictures else ())  # fmt: skip
    place = f"line {line}"
    spans = (
        Span("motion", MOTIONS[motion], 5_000_000, 10_000_000, motions.path, place),
        Span("phase", PHASES[phase], 0, 10_000_000, motions.path, place),
    )
    books = Books("read", "label rows and masks", 1 + len(pictures), 1 + len(pictures), 0)
    return VideoEvidence(video, instruments, spans, (), (books,), (), regions)


def _table(
    pictures: dict[int, np.ndarray], names: dict[int, str], words: tuple[str, ...], pointer: str
) -> InstrumentTable:
    seen = [
        [_instance(grey, value, name) for value, name in names.items() if _covers(grey, value)]
        for grey in pictures.values()
    ]
    return true_table([frame * 40_000 for frame in pictures], list(pictures), seen, words, pointer)


def _covers(grey: np.ndarray, value: int) -> bool:
    return value in grey or (value < 180 and value + 20 in grey)


def _instance(grey: np.ndarray, value: int, name: str) -> Instance:
    tip = grey == value
    shaft = (grey == value + 20) if value < 180 else np.zeros_like(tip)
    ys, xs = np.nonzero(tip | shaft)
    box: Any = (xs.min() / WIDTH, ys.min() / HEIGHT, (xs.max() + 1) / WIDTH,
                (ys.max() + 1) / HEIGHT)  # fmt: skip
    box = tuple(map(float, box))
    columns = sorted(set(xs.tolist()))
    if value < 180 and columns[-1] - columns[0] + 1 > len(columns):
        box = None  # the tool is in two pieces
    attributes = {"area": xs.size / grey.size}
    if value < 180:
        attributes |= {
            "manipulator_area": int(tip.sum()) / grey.size,
            "shaft_area": int(shaft.sum()) / grey.size,
        }
    return Instance(name, box, None, value, mask=encoded(tip | shaft), attributes=attributes)


def _video(
    video_id: str, group: str, sources: tuple[Source, ...], seconds: int, fps: Fraction,
    vocabulary: tuple[str, ...],
) -> Video:  # fmt: skip
    return true_video(
        "autolaparo", video_id, "laparoscopic hysterectomy", "gynaecology", "CC BY-NC-SA 4.0",
        sources, fps=fps, period_us=1_000_000, duration_us=seconds * 1_000_000,
        split_group=f"autolaparo/{group}", vocabulary=vocabulary,
    )  # fmt: skip

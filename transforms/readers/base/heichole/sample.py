"""A made-up miniature of HeiChole's label files; layout and numbers of labels are the release's.

Frames are few, for a file has a line for each: an operation lasts some seconds.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.records import (
    Books,
    InstrumentTable,
    Source,
    Span,
    Video,
    VideoEvidence,
    VideoLabel,
)  # fmt: skip
from surgqa.transforms.readers.base.sample import Instance, true_table, true_video

NUMBERS = (1, 2, 16)
"""The last has 50 frames a second, the others 25."""
PHASES = ("preparation", "calot_triangle_dissection", "clipping_and_cutting",
          "gallbladder_dissection", "gallbladder_packaging", "cleaning_and_coagulation",
          "gallbladder_extraction")  # fmt: skip
TYPES = {
    0: "curved_atraumatic_grasper", 1: "toothed_grasper", 2: "fenestrated_toothed_grasper",
    3: "straight_atraumatic_grasper", 4: "overholt", 5: "ligasure", 6: "hook", 7: "scissors",
    8: "metal_clip_applier", 9: "hemolok_clip_applier", 10: "swab_grasper", 11: "argon_beamer",
    12: "irrigator", 13: "retrieval_bag", 14: "tiger_mouth_forceps", 15: "claw_forceps",
    16: "short_atraumatic_grasper", 17: "crocodile_forceps", 18: "flat_grasper",
    19: "pointed_forceps", 20: "stapler", 30: "unidentified_shaft",
}  # fmt: skip
CATEGORIES = {
    0: "grasper", 1: "clipper", 2: "coagulation_instrument", 3: "scissors", 4: "irrigator",
    5: "retrieval_bag", 6: "stapler", 20: "unidentified_shaft",
}  # fmt: skip
CATEGORY_OF = {0: 0, 3: 0, 6: 2, 7: 3, 8: 1, 12: 4, 30: 20}
ACTIONS = ("grasping", "holding", "cutting", "clipping")
HANDS = ("left_hand", "right_hand", "assistant")
RATINGS = ("heichole_depth_perception", "heichole_bimanual_dexterity", "heichole_efficiency",
           "heichole_tissue_handling", "heichole_case_difficulty")  # fmt: skip
SECONDS = 24
# From which part of 24 on: phase; types seen; (hand, action) pairs.
_SCENE: tuple[tuple[int, int, tuple[int, ...], tuple[tuple[int, int], ...]], ...] = (
    (0, 0, (), ()),
    (2, 0, (0,), ((0, 0),)),
    (4, 1, (0, 6), ((0, 1), (1, 2))),
    (9, 1, (0, 6, 3), ((0, 1), (2, 1))),
    (12, 2, (0, 8), ((0, 1), (1, 3))),
    (14, 2, (0, 7), ((0, 1), (1, 2))),
    (16, 1, (0, 6), ((0, 0), (0, 1))),
    (18, 3, (0, 6, 30), ((0, 1), (1, 2), (2, 1))),
    (22, 6, (12,), ()),
)
Scene = tuple[int, tuple[int, ...], tuple[tuple[int, int], ...]]
RATED = (("Skill", None), ("Calot_Skill", 1), ("Dissection_Skill", 3))
"""Ending of a file of scores, and the phase that was rated."""


class _Writer:
    """Writes one video's files, and remembers those that are to be read."""

    def __init__(self, root: Path, number: int, variant: int) -> None:
        self.root, self.number, self.variant = root, number, variant
        self.sources: dict[str, Source] = {}

    def put(self, ending: str, rows: list[list[int]], used: bool = True) -> None:
        """``Annotations/Phase/Hei-Chole1_Annotation_Phase.csv`` and the like."""
        folder = ending.split("_")[1] if ending.startswith("Annotation") else "Skill"
        name = f"Hei-Chole{self.number}_{ending}.csv"
        name = f"Annotations/{folder}/{name.lower() if self.variant % 4 == 1 else name}"
        data = "".join(",".join(map(str, row)) + "\n" for row in rows).encode()
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_bytes(data)
        if used:
            self.sources[ending] = Source(name, bytes_digest(data))

    def put_frames(self, ending: str, cells: list[list[int]], used: bool = True) -> None:
        """With the frame number before the cells of each line."""
        base = int(self.variant % 3 == 1)
        self.put(ending, [[n, *row] for n, row in enumerate(cells, start=base)], used)


def lay_out(root: Path, dataset: str, number: int, variant: int, seconds: int) -> VideoEvidence:
    """Write one video's labels, and say what is in them.

    Args:
        variant: 0 to 20; decides how file names are written, whether frames count from 1,
            and which files are left out.
        seconds: how long the operation is, 1 to 58.
    """
    rate = 50 if number == 16 else 25
    frames = rate * seconds
    scenes = [_at(frame * SECONDS // frames, variant) for frame in range(frames)]
    detailed = variant % 5 != 2
    writer = _Writer(root, number, variant)
    _write_frames(writer, scenes, detailed)
    scores = _write_scores(writer, {phase for phase, _, _ in scenes})
    spans = _spans(scenes, rate, writer.sources)
    labels: list[VideoLabel] = []
    for ending, phase in RATED:
        for column, score in enumerate(scores.get(ending, []), start=1):
            name, path = RATINGS[column - 1], writer.sources[ending].path
            pointer = f"line 1, column {column}"
            if phase is None:
                labels.append(VideoLabel("rating", name, float(score), "", path, pointer))
                continue
            during = [s for s in spans if s.kind == "phase" and s.label == PHASES[phase]]
            times = during[0].start_us, during[-1].end_us
            spans.append(Span("rating", name, *times, path, pointer, float(score)))
    table = _table(scenes, rate, writer.sources)
    video = _video(dataset, number, rate, seconds, writer.sources, table.labels)
    read = sum(frames if ending.startswith("A") else 1 for ending in writer.sources)
    books = Books("read", "label rows", read, read, 0)
    spans.sort(key=_order)
    labels.sort(key=lambda label: label.label)
    return VideoEvidence(video, table, tuple(spans), (), (books,), tuple(labels))


def _write_frames(writer: _Writer, scenes: list[Scene], detailed: bool) -> None:
    writer.put_frames("Annotation_Phase", [[phase] for phase, _, _ in scenes])
    if detailed:
        types = [[int(tool in seen) for tool in range(31)] for _, seen, _ in scenes]
        writer.put_frames("Annotation_Instrument_Detailed", types)
    groups = [{CATEGORY_OF[tool] for tool in seen} for _, seen, _ in scenes]
    cells = [[int(category in group) for category in range(21)] for group in groups]
    writer.put_frames("Annotation_Instrument", cells, used=not detailed)
    acts = [[int(act in {a for _, a in acts}) for act in range(4)] for *_, acts in scenes]
    writer.put_frames("Annotation_Action", acts)
    if detailed:
        hands = [[int((hand, act) in acts) for hand in range(3) for act in range(4)]
                 for *_, acts in scenes]  # fmt: skip
        writer.put_frames("Annotation_Action_Detailed", hands)


def _write_scores(writer: _Writer, phases: set[int]) -> dict[str, list[int]]:
    """Five scores of the whole, and of each rated phase that occurs."""
    out = {}
    for place, (ending, phase) in enumerate(RATED):
        if phase is None or phase in phases:
            first = writer.variant + writer.number + place
            out[ending] = [1 + (first + step) % 5 for step in range(5)]
            writer.put(ending, [out[ending]])
    return out


def _spans(scenes: list[Scene], rate: int, sources: dict[str, Source]) -> list[Span]:
    told: list[tuple[str, str, str, str, list[bool]]] = [
        ("Annotation_Phase", "phase", name, "", [phase == code for phase, _, _ in scenes])
        for code, name in enumerate(PHASES)
    ]
    for code, name in enumerate(ACTIONS):
        acts = [code in {act for _, act in acts} for *_, acts in scenes]
        told.append(("Annotation_Action", "action", name, "", acts))
        for hand, whose in enumerate(HANDS):
            by_hand = [(hand, code) in acts for *_, acts in scenes]
            told.append(("Annotation_Action_Detailed", "action", name, whose, by_hand))
    out = []
    for ending, kind, name, whose, on in told:
        for first, last in _runs(on) if ending in sources else ():
            pointer = f"lines {first + 1} to {last + 1}"
            times = _us(first, rate), _us(last + 1, rate)
            path = sources[ending].path
            out.append(Span(kind, name, *times, path, pointer, subject=whose))
    return out


def _runs(on: list[bool]) -> list[tuple[int, int]]:
    """First and last frame of each run."""
    out: list[tuple[int, int]] = []
    for frame, here in enumerate(on):
        if here and out and out[-1][1] == frame - 1:
            out[-1] = (out[-1][0], frame)
        elif here:
            out.append((frame, frame))
    return out


def _us(frame: int, rate: int) -> int:
    return frame * 1_000_000 // rate


def _table(scenes: list[Scene], rate: int, sources: dict[str, Source]) -> InstrumentTable:
    ending, names, kind = "Annotation_Instrument_Detailed", TYPES, "type"
    shown = [list(seen) for _, seen, _ in scenes]
    if ending not in sources:
        ending, names, kind = "Annotation_Instrument", CATEGORIES, "category"
        shown = [sorted({CATEGORY_OF[tool] for tool in seen}) for seen in shown]
    frames = list(range(len(scenes)))
    return true_table(
        [_us(frame, rate) for frame in frames],
        frames,
        [[Instance(names[tool], None, None, tool) for tool in seen] for seen in shown],
        sorted(set(names.values())),
        f"{sources[ending].path}, frame {{frame}}, {kind} {{row}}",
    )


def _video(
    dataset: str, number: int, rate: int, seconds: int, sources: dict[str, Source],
    vocabulary: tuple[str, ...],
) -> Video:  # fmt: skip
    return true_video(
        dataset, f"Hei-Chole{number}", "laparoscopic cholecystectomy", "general surgery",
        "CC BY-NC-SA 4.0 (commonly cited; also given as CC BY-NC)", tuple(sources.values()),
        fps=Fraction(rate), period_us=1_000_000 // rate, duration_us=seconds * 1_000_000,
        split_group=f"heichole/{number:02d}", vocabulary=vocabulary,
    )  # fmt: skip


def _order(span: Span) -> tuple[str, int, int, str, str]:
    return span.kind, span.start_us, span.end_us, span.label, span.subject


def _at(part: int, variant: int) -> Scene:
    """What happens in a 24th of the operation; some variants come to no packaging or rating."""
    part = part if variant % 4 != 3 else part // 2
    return [(phase, seen, acts) for since, phase, seen, acts in _SCENE if since <= part][-1]

"""A made-up miniature of MultiBypass140's label files; layout and label names are the release's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.records import (
    Books,
    Code,
    Rejected,
    Source,
    Span,
    VideoEvidence,
)  # fmt: skip
from surgqa.transforms.readers.base.sample import true_video

# (source label, its id, concept, share of the operation in thousandths)
_PHASES = (
    ("preparation", 0, "preparation", 90),
    ("gastric_pouch_creation", 1, "gastric_pouch_creation", 210),
    ("omentum_division", 2, "omentum_division", 60),
    ("gastrojejunal_anastomosis", 3, "gastrojejunal_anastomosis", 220),
    ("jejunojejunal_anastomosis", 7, "jejunojejunal_anastomosis", 180),
    ("gastrojejunal_anastomosis", 3, "gastrojejunal_anastomosis", 40),
    ("closure_petersen_space", 6, "petersen_space_closure", 70),
    ("cleaning_coagulation", 9, "cleaning_and_coagulation", 80),
    ("disassembling", 10, "disassembling", 50),
)
_STEPS = (
    ("s0_null_step", 0, "", 30),
    ("s2_trocar_placement", 2, "trocar_placement", 60),
    ("s6_horizontal_stapling", 6, "horizontal_stapling", 110),
    ("s8_vertical_stapling", 8, "vertical_stapling", 100),
    ("s12_omental_lifting", 12, "omental_lifting", 60),
    ("s18_gastrojejunal_stapling", 18, "gastrojejunal_stapling", 150),
    ("s0_null_step", 0, "", 70),
    ("s32_jejunojejunal_stapling", 32, "jejunojejunal_stapling", 180),
    ("s19_gastrojejunal_defect_closing", 19, "gastrojejunal_defect_closing", 40),
    ("s28_petersen_space_closing", 28, "petersen_space_closing", 70),
    ("s40_irrigation_aspiration", 40, "abdominal_irrigation_and_aspiration", 80),
    ("s42_trocar_removal", 42, "trocar_removal", 50),
)
# (source label, its id, start and end in thousandths of the operation): inside a phase, across
# a change of phase, over another overlay, across the end, after the end.
_OVERLAYS = (
    ("out_of_body", 12, 20, 35),
    ("out_of_body", 12, 290, 320),
    ("severe_index", 13, 400, 450),
    ("out_of_body", 12, 440, 470),
    ("out_of_body", 12, 985, 1015),
    ("out_of_body", 12, 1040, 1060),
)
_WHY = {"severe_index": Code.DROPPED_LABEL, "s0_null_step": Code.DROPPED_LABEL}


def lay_out(root: Path, dataset: str, video_id: str, variant: int) -> VideoEvidence:
    """Write one video's labels, and say what is in them.

    Args:
        variant: 0 to 20; decides when labels start, how long the operation lasts (to the
            millisecond), and whether there are overlays.
    """
    start = (0, 13000, 420)[(variant + int(video_id[3:])) % 3]
    thousandth = 700 + 37 * variant
    phases = _contiguous(_PHASES[variant % 3 :], start, thousandth)
    steps = _contiguous(_STEPS[variant % 2 :], start, thousandth)
    if variant % 5 != 4:
        overlays = [
            (start + a * thousandth, start + b * thousandth, name, number, "out_of_body")
            for name, number, a, b in _OVERLAYS
        ]
        phases = sorted([*phases, *overlays], key=lambda item: item[0])
    centre = "bern" if video_id.startswith("B") else "strasbourg"
    name = f"labels/{centre}/labels_by70/{video_id}.mp4.json"
    tree = {"phases": list(map(_item, phases)), "steps": list(map(_item, steps))}
    text = json.dumps(tree).encode()
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_bytes(text)
    return _truth(dataset, video_id, Source(name, bytes_digest(text)), phases, steps)


def write_tables(root: Path) -> None:
    """``tables/phase.csv`` as the release has it: a blank after the comma, no line end at last."""
    names = {number: name for name, number, *_ in (*_PHASES, *_OVERLAYS)}
    lines = ["id, name", *(f"{number}, {names[number]}" for number in sorted(names))]
    (root / "tables").mkdir(exist_ok=True)
    (root / "tables" / "phase.csv").write_bytes("\n".join(lines).encode())


def _contiguous(parts: Sequence[tuple[str, int, str, int]], start: int, unit: int) -> list[Any]:
    out = []
    for name, number, concept, share in parts:
        out.append((start, start + share * unit, name, number, concept))
        start += share * unit
    return out


def _item(part: tuple[int, int, str, int, str]) -> dict[str, Any]:
    start, end, name, number, _ = part
    return {"start": start, "end": end, "label_name": name, "label_id": number}


def _truth(
    dataset: str, video_id: str, source: Source, phases: list[Any], steps: list[Any]
) -> VideoEvidence:
    spans, rejected = [], []
    for key, items in (("phases", phases), ("steps", steps)):
        for number, (start, end, name, _, concept) in enumerate(items):
            place = f"{key}[{number}]"
            if name in _WHY:
                where = f"{source.path} {place}"
                rejected.append(Rejected("read", f"{dataset}/{video_id}", _WHY[name], "", where))
                continue
            kind = "event" if name == "out_of_body" else key.removesuffix("s")
            spans.append(Span(kind, concept, start * 1000, end * 1000, source.path, place))
    spans.sort(key=lambda span: (span.kind, span.start_us, span.end_us, span.label))
    bern = video_id.startswith("B")
    video = true_video(
        dataset, video_id, "laparoscopic Roux-en-Y gastric bypass", "general surgery",
        "CC BY-NC-SA 4.0", (source,), fps=Fraction(1), period_us=1_000_000,
        duration_us=max(span.end_us for span in spans),
        split_group=f"bern-bypass/{video_id[3:]}" if bern else f"{dataset}/{video_id}",
    )  # fmt: skip
    read = len(phases) + len(steps)
    books = Books("read", "labelled intervals", read, len(spans), len(rejected))
    return VideoEvidence(video, None, tuple(spans), tuple(rejected), (books,))

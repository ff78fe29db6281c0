"""One operation made by hand, as a user's own tables: enough for every template of no benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

SECONDS, LENGTH = 300, 299.04
"""Labelled seconds; the recording ends with the picture of the last one."""

PHASES = (
    (0, 44, "preparation"), (44, 110, "clipping_and_cutting"),
    (110, 250, "gallbladder_dissection"), (250, 300, "gallbladder_packaging"),
)  # fmt: skip
STEPS = ((0, 50, "hydrodissection"), (50, 90, "phacoemulsification"), (90, 300, "hydrodissection"))
EVENTS = ((115, 125, "out_of_body"),)
CONDITIONS = (
    (160, 170, "bleeding_in_view"), (200, 210, "surgical_smoke"), (230, 240, "surgical_smoke"),
)  # fmt: skip
TOOLS = (
    (5, 20, "hook", "dissect", "gallbladder"), (10, 30, "grasper", "retract", "gallbladder"),
    (38, 46, "hook", "coagulate", "omentum"), (48, 70, "grasper", "retract", "gallbladder"),
    (50, 53, "clipper", "clip", "cystic_duct"), (60, 63, "clipper", "clip", "cystic_artery"),
    (128, 140, "grasper", "retract", "liver"), (135, 150, "hook", "coagulate", "liver"),
    (155, 175, "hook", "dissect", "cystic_plate"), (158, 165, "grasper", "retract", "liver"),
    (185, 215, "bipolar", "coagulate", "liver"), (260, 280, "grasper", "retract", "omentum"),
)  # fmt: skip
"""(from, to) in seconds, instrument, verb, target: in each second of it there is a label."""

PLACES = {"hook": 64, "grasper": 192, "clipper": 320, "bipolar": 448}
"""Left side of each instrument's box in pixels; it moves to the right, a pixel each second."""

MAPPING = """\
procedure: laparoscopic cholecystectomy
specialty: general surgery
licence: made up, free to use
videos:
  file: videos.csv
  columns: {video: Case, duration: Length, patient: Patient, rate: Rate}
tables:
  tools:
    holds: boxes
    file: tools.csv
    columns: {video: Case, at: At, x: X, y: Y, w: W, h: H, instrument: Tool, verb: Verb, target: On}
    box: {unit: pixels, size: [640, 512]}
"""
SEGMENTS = """\
  {kind}s:
    holds: segments
    file: {kind}s.csv
    columns: {{video: Case, start: From, end: To, {kind}: What}}
"""


def write(root: Path) -> None:
    """Lay out the folder that the reader of own tables reads."""
    segments = {"phase": PHASES, "step": STEPS, "event": EVENTS, "condition": CONDITIONS}
    same = [*segments, "instrument", "verb", "target"]
    labels = "labels: {" + ", ".join(f"{kind}: same" for kind in same) + "}\n"
    tables = "".join(SEGMENTS.format(kind=kind) for kind in segments)
    (root / "surgqa.yaml").write_text(MAPPING + tables + labels, encoding="utf-8")
    _put(root / "videos.csv", [("Case", "Length", "Patient", "Rate"), ("op1", LENGTH, "P1", 25)])
    _put(root / "tools.csv", [("Case", "At", *"XYWH", "Tool", "Verb", "On"), *_tools()])
    for kind, spans in segments.items():
        lines = [("op1", start, min(end, LENGTH), label) for start, end, label in spans]
        _put(root / f"{kind}s.csv", [("Case", "From", "To", "What"), *lines])


def _tools() -> Iterator[tuple[object, ...]]:
    for at in range(SECONDS):
        seen = [one for one in TOOLS if one[0] <= at < one[1]]
        for start, _, tool, verb, target in seen:
            yield "op1", at, PLACES[tool] + at - start, 128, 96, 96, tool, verb, target
        if not seen:  # somebody looked and saw none
            yield "op1", at, *("",) * 7


def _put(path: Path, lines: list[tuple[object, ...]]) -> None:
    path.write_text("".join(",".join(map(str, line)) + "\n" for line in lines), encoding="utf-8")

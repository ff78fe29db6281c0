"""Write a small sample of SimSurgSkill 2021 in its real layout; all its data are made up."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from surgqa.ontology.keys import h64
from surgqa.ontology.records import (
    Books,
    Code,
    Rejected,
    Source,
    Video,
    VideoEvidence,
    VideoLabel,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.sample import Box, Instance, put, true_table, true_video

# The first two videos share a table of metrics; the third one's case is in two parts.
CASES = (("train_v1", 1), ("train_v1", 12), ("train_v2", 1), ("test", 40))
WIDTH, HEIGHT = 1280, 720
SECOND_US = 1_000_000
FULL_SECONDS = 32
ORIENTATIONS = {
    "left": {"hand": "left"}, "Right": {"hand": "right"}, "needle is grabbed": {"grasped": "yes"},
    "not grabbed": {"grasped": "no"}, "": {},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Box:
    """A made-up box: class, pixels x, y, w, h (None: only presence is stated), orientation."""

    name: str
    xywh: tuple[float, float, float, float] | None
    orientation: str

    @property
    def corners(self) -> Box | None:
        if self.xywh is None:
            return None
        x, y, w, h = self.xywh
        return (
            max(0.0, x / WIDTH), max(0.0, y / HEIGHT), min(1.0, (x + w) / WIDTH),
            min(1.0, (y + h) / HEIGHT),
        )  # fmt: skip

    @property
    def is_cut(self) -> bool:
        return self.xywh is not None and self.xywh[0] < 0


def write(
    root: Path, *, procedures: int = 2, seconds: int = FULL_SECONDS, variant: int = 0
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 4.
        seconds: annotated seconds of each video.
        variant: determines how a coordinate is written, which metrics are missing, and whether the
            first part has the name of the first release (every fourth).
    """
    root = Path(root)
    chosen = CASES[:procedures]
    tables = {}
    for part in sorted({part for part, _ in chosen}):
        folder = "Release_v1" if part == "train_v1" and variant % 4 == 3 else part
        (root / folder / "annotations/bounding_box_gt").mkdir(parents=True)
        cases = [case for there, case in chosen if there == part]
        tables[part] = (folder, _write_metrics(root, folder, part, cases, variant))
    evidence = [_write_video(root, *tables[part], part, case, seconds, variant)
                for part, case in chosen]  # fmt: skip
    return Truth(tuple(sorted(evidence, key=lambda e: e.video.video_id)))


def _metrics(case: int, variant: int) -> tuple[int | None, int | None]:
    drops = h64("sample", case, "drops", variant) % 5
    views = h64("sample", case, "views", variant) % 9
    return drops, None if (case + variant) % 3 == 0 else views


def _write_metrics(
    root: Path, folder: str, part: str, cases: list[int], variant: int
) -> Source | None:
    """Write the table of a part; the second part has none."""
    if part == "train_v2":
        return None
    lines = ["caseid,needle_drop_counts,instrument_out_of_view_counts,economy_of_motion"]
    for case in cases:
        drops, views = _metrics(case, variant)
        shown = "" if views is None else f"{views}.0"
        lines.append(f"caseid_{case:06d},{drops},{shown},{case * 3.5}")
    name = f"{folder}/annotations/skill_metric_gt.csv"
    data = ("\n".join(lines) + "\n").encode()
    return put(root, name, data)


def _seen(part: str, case: int, second: int, variant: int) -> list[_Box]:
    """Two moving drivers and a needle that they pass to each other; some seconds are empty."""
    if second % 11 == 10:
        return []
    shift = float(h64("sample", part, case, "shift") % 60)
    left = _Box("needle driver", (250.0 + 14 * second, 300.5 + shift, 96.0, 64.0), "left")
    right = _Box("needle driver", (980.0 - 16 * second, 340.0 - shift, 90.0, 70.25), "Right")
    held = "needle is grabbed" if second % 7 < 4 else "not grabbed"
    needle = _Box("needle", (600.0 + second, 420.0 + shift, 41.0, 30.0), held)
    if second % 9 == 4:
        needle = _Box("needle", (-4.0, 420.0 + shift, 41.0, 30.0), "")
    if second % 9 == 5:
        needle = _Box("needle", None, "")
    return [left, right, needle][: 3 - (second + variant) % 5 // 4]


def _write_video(
    root: Path, folder: str, table: Source | None, part: str, case: int, seconds: int, variant: int
) -> VideoEvidence:
    entries: dict[str, Any] = {}
    cut, drivers, needles = [], [], []
    name = f"{folder}/annotations/bounding_box_gt/caseid_{case:06d}_fps1.json"
    for second in range(seconds):
        boxes = _seen(part, case, second, variant)
        seen = [_instance(box, row) for row, box in enumerate(boxes)]
        drivers.append([one for one in seen if one.label == "needle_driver"])
        needles.append([one for one in seen if one.label == "simulated_needle"])
        rows: list[_Box | None] = [*boxes] or [None]
        for box in rows:
            if box and box.is_cut:
                cut.append(f"{name} {str(len(entries))!r}")
            entries[str(len(entries))] = _entry(box, case, second, variant)
    data = json.dumps(entries, indent=0).encode()
    sources = [put(root, name, data), *([table] if table else [])]
    return _truth(part, case, sources, table, drivers, needles, cut, len(entries), variant)


def _entry(box: _Box | None, case: int, second: int, variant: int) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "obj_class": box.name if box else None, "label_type": "box", "coordinate": None,
        "orientation": box.orientation if box else None, "objects": box is not None,
        "case_id": case, "fps": 1, "frame_id": float(second + 1),
    }  # fmt: skip
    if box and box.xywh:
        sides = dict(zip("xywh", box.xywh, strict=True))
        entry["coordinate"] = json.dumps(sides) if variant % 2 == 0 else sides
    return entry


def _instance(box: _Box, row: int) -> Instance:
    label = "needle_driver" if box.name == "needle driver" else "simulated_needle"
    attributes = ORIENTATIONS[box.orientation]
    return Instance(label, box.corners, None, row, attributes=attributes)


def _truth(
    part: str, case: int, sources: list[Source], table: Source | None,
    drivers: list[list[Instance]], needles: list[list[Instance]], cut: list[str], boxes: int,
    variant: int,
) -> VideoEvidence:  # fmt: skip
    video_id = f"{part}_{case:06d}"
    frames = list(range(len(drivers)))
    times = [frame * SECOND_US for frame in frames]
    pointer = f"frame {{frame}} of {video_id} counted from 0, box {{row}} of the frame"
    labels = []
    if table:
        line = 2 + [c for p, c in CASES if p == part].index(case)
        drops, views = _metrics(case, variant)
        for concept, value in (("instruments_out_of_view", views), ("needle_drops", drops)):
            if value is not None:
                where = (table.path, f"line {line}")
                labels.append(VideoLabel("count", concept, float(value), "", *where))
    video = _video(video_id, case, len(frames) * SECOND_US, tuple(sources))
    read = boxes + len(labels)
    return VideoEvidence(
        video=video,
        instruments=true_table(times, frames, drivers, ("needle_driver",), pointer),
        rejected=tuple(
            Rejected("read", f"simsurgskill2021/{video_id}", Code.BAD_BOX, "", where,
                     outcome="repaired")
            for where in cut
        ),
        books=(Books("read", "labels", read, read, 0),),
        labels=tuple(labels),
        regions={"structure": true_table(times, frames, needles, ("simulated_needle",), pointer)},
    )  # fmt: skip


def _video(video_id: str, case: int, duration_us: int, sources: tuple[Source, ...]) -> Video:
    return true_video(
        "simsurgskill2021", video_id, "needle driving in a robotic simulator", "surgical training",
        "not documented (distributed for the EndoVis 2021 challenge)", sources, fps=Fraction(1),
        period_us=SECOND_US, duration_us=duration_us, split_group=f"simsurgskill2021/{case:06d}",
        vocabulary=("needle_driver",),
    )  # fmt: skip

"""Write a small sample of ProstaTD in its real layout; all its data are made up."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surgqa.ontology.keys import h64
from surgqa.ontology.records import (
    Books,
    Code,
    Pair,
    Rejected,
    Source,
    VideoEvidence,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.pictures import jpeg, picture
from surgqa.transforms.readers.base.prostatectomy.sample import ONE_A_SECOND, SECOND_US
from surgqa.transforms.readers.base.sample import Box, Instance, put, true_table, true_video

GROUPS = {"esadv2": "prostatd/esadv2", "psiv14": "psi-ava/14", "psiv2": "psi-ava/02"}
WIDTH, HEIGHT = 1920, 1080
PICTURES = 24
LABELS = {
    "scissors": "scissors", "forceps": "forceps", "aspirator": "suction_instrument",
    "needle driver": "needle_driver", "grasper": "grasper", "clip applier": "clipper",
    "Endobag": "retrieval_bag",
}  # fmt: skip
VERBS = {"retract": "retract", "cut": "cut", "suck": "aspirate", "bag": "pack"}
TARGETS = {"prostate": "prostate", "fascias": "fascia", "fluid": "fluid"}


@dataclass(frozen=True, slots=True)
class _Tool:
    """A made-up rectangle; its action is None if the instrument does nothing."""

    label: str
    action: tuple[str, str] | None
    corners: tuple[float, float, float, float] | None

    @property
    def pair(self) -> Pair:
        if self.action is None:
            return ("null_verb", "null_target")
        return VERBS[self.action[0]], TARGETS[self.action[1]]

    @property
    def box(self) -> Box | None:
        if self.corners is None:
            return None
        x1, y1, x2, y2 = self.corners
        left, right = sorted((x1 / WIDTH, x2 / WIDTH))
        top, bottom = sorted((y1 / HEIGHT, y2 / HEIGHT))
        return max(left, 0.0), max(top, 0.0), min(right, 1.0), min(bottom, 1.0)


def write(root: Path, *, procedures: int = 2, with_boxes: bool = True, variant: int = 0) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 3.
        with_boxes: True: as in the second release; False: as in the first.
        variant: determines the number of images, how idling is written, and what is in view.
    """
    root = Path(root)
    evidence = [
        _write_video(root, video_id, with_boxes, variant)
        for video_id in sorted(list(GROUPS)[:procedures])
    ]
    return Truth(tuple(evidence))


def _write_video(root: Path, video_id: str, with_boxes: bool, variant: int) -> VideoEvidence:
    (root / video_id).mkdir()
    sources, seen, cut = [], [], []
    for place in range(max(1, PICTURES - variant)):
        tools = _tools(video_id, place, with_boxes, variant)
        stem = _stem(place, variant)
        name = f"{video_id}/{stem}.json"
        text = json.dumps(_tree(stem, tools, variant), indent=1)
        sources.append(put(root, name, text))
        boxes = [tool.box for tool in tools if tool.box]
        (root / video_id / f"{stem}.jpg").write_bytes(
            jpeg(picture(place, boxes, range(len(boxes))))
        )
        seen.append(_instances(tools))
        cut += [
            f"{name} shapes[{row}]"
            for row, tool in enumerate(tools)
            if tool.corners and min(tool.corners) < 0
        ]
    rows = sum(len(_tools(video_id, place, with_boxes, variant)) for place in range(len(seen)))
    return _truth(video_id, sources, seen, cut, rows)


def _stem(place: int, variant: int) -> str:
    """File name: the number of digits grows, numbers are missing, and a suffix may follow."""
    number = 80 + 25 * place + (place > 6) * 300_000
    return f"{number - 25}_2" if place and place % 5 == variant % 5 else str(number)


def _tools(video_id: str, place: int, with_boxes: bool, variant: int) -> list[_Tool]:
    if place % 6 == 5:
        return []
    shift = float(h64("sample", video_id, "shift", place) % 400) / 4
    where = (700.0 + shift, 300.5, 980.0 + shift, 640.0)
    tools = [
        _Tool("scissors", ("cut", "fascias"), where),
        # A second action of the same instance.
        _Tool("scissors", ("retract", "prostate"), where),
        # Corners may be in any order.
        _Tool("forceps", ("retract", "prostate"), (600.0, 800.0 - shift, 250.0, 420.0)),
        _Tool("forceps", None, (1500.0, 200.0, 1900.0, 480.25 + shift)),
        _Tool("aspirator", ("suck", "fluid"), (-12.5, 700.0, 300.0, 1000.0)),
        _Tool("Endobag", ("bag", "prostate"), (800.0, 700.0, 1200.0, 1079.0)),
    ]
    shown = tools[: 2 + (place + variant) % 5]
    return shown if with_boxes else [_Tool(tool.label, tool.action, None) for tool in shown]


def _tree(stem: str, tools: list[_Tool], variant: int) -> dict[str, Any]:
    shapes = []
    for number, tool in enumerate(tools):
        verb, target = tool.action or ("null", "null")
        attributes: dict[str, Any] = {"Action": verb, "Target": target}
        if tool.action is None and variant % 3:
            attributes = {} if variant % 3 == 1 else {"Action": None, "Target": None}
        x1, y1, x2, y2 = tool.corners or (0.0,) * 4
        points = [[x1, y1], [x2, y2]] if tool.corners else ([], None)[number % 2]
        shapes.append({"label": tool.label, "points": points, "shape_type": "rectangle",
                       "group_id": None, "attributes": attributes})  # fmt: skip
    return {"version": "5.2", "flags": {}, "shapes": shapes, "imagePath": f"{stem}.jpg",
            "imageData": None, "imageHeight": HEIGHT, "imageWidth": WIDTH}  # fmt: skip


def _instances(tools: list[_Tool]) -> list[Instance]:
    out: list[Instance] = []
    for row, tool in enumerate(tools):
        before = tools[row - 1] if row else None
        if (
            before
            and before.label == tool.label
            and tool.corners
            and before.corners == tool.corners
        ):
            pairs = tuple(sorted({before.pair, tool.pair}))
            out[-1] = Instance(LABELS[tool.label], tool.box, pairs, row - 1)
        else:
            out.append(Instance(LABELS[tool.label], tool.box, (tool.pair,), row))
    return out


def _truth(
    video_id: str, sources: list[Source], seen: list[list[Instance]], cut: list[str], rows: int
) -> VideoEvidence:
    labels = tuple(sorted(LABELS.values()))
    frames = list(range(len(seen)))
    video = true_video(
        "prostatd", video_id, "robot-assisted radical prostatectomy", "urology",
        "CC BY-NC-SA 4.0 with added terms (no training of commercial models)", sources,
        fps=ONE_A_SECOND, period_us=SECOND_US, duration_us=len(seen) * SECOND_US,
        split_group=GROUPS[video_id], vocabulary=labels,
    )  # fmt: skip
    pointer = f"picture {{frame}} of {video_id} in order, shapes[{{row}}]"
    table = true_table([f * SECOND_US for f in frames], frames, seen, labels, pointer)
    rejected = tuple(
        Rejected("read", f"prostatd/{video_id}", Code.BAD_BOX, "", where, outcome="repaired")
        for where in cut
    )
    books = (Books("read", "label rows", rows, rows, 0),)
    return VideoEvidence(video, table, (), rejected, books)

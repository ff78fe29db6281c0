"""Write a small sample of PSI-AVA in its real layout; all its data are made up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from surgqa.ontology.records import (
    Books,
    Code,
    Media,
    MediaKind,
    Rejected,
    Source,
    Video,
    VideoEvidence,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.pictures import HEIGHT as FILE_HEIGHT
from surgqa.transforms.readers.base.pictures import WIDTH as FILE_WIDTH
from surgqa.transforms.readers.base.pictures import picture, png
from surgqa.transforms.readers.base.prostatectomy.sample import (
    HEIGHT,
    LABELS,
    ONE_A_SECOND,
    SECOND_US,
    WIDTH,
    Keyframe,
    category_lists,
    in_order,
    keyframes_of,
    true_action_spans,
    true_instances,
    true_workflow_spans,
)
from surgqa.transforms.readers.base.sample import put, true_table, true_video

FOLDER = "outputs/data_annotations/psi-ava/fold1/coco_anns"
# The first two cases are in one file, the third in the other.
CASES = (("CASE002", "val"), ("CASE003", "val"), ("CASE001", "train"), ("CASE007", "val"))
ACTIONS = (
    "Cauterize", "Close", "Close Something", "Cut", "Grasp", "Hold", "Open", "Open Something",
    "Pull", "Push", "Release", "Staple", "Still", "Suction", "Travel", "Wash",
)  # fmt: skip


def write(
    root: Path, *, procedures: int = 2, variant: int = 0, pictures: str | None = "png"
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of cases, 1 to 4.
        variant: determines the labels, empty keyframes, odd seconds, and a box that is too large.
        pictures: any text writes the keyframes of the first case; None: no images.
    """
    root = Path(root)
    (root / FOLDER).mkdir(parents=True)
    evidence = []
    for side in ("train", "val"):
        cases = [case for case, there in CASES[:procedures] if there == side]
        if cases:
            evidence += _write_side(root, side, cases, variant, bool(pictures))
    return Truth(tuple(sorted(evidence, key=lambda e: e.video.video_id)))


def _write_side(
    root: Path, side: str, cases: Sequence[str], variant: int, pictures: bool
) -> list[VideoEvidence]:
    name = f"{FOLDER}/{side}_coco_anns_v3_35s.json"
    happens = {case: keyframes_of(case, _seconds(variant), variant) for case in cases}
    images: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    first_row = {}
    for case in cases:
        first_row[case] = len(rows)
        for frame in happens[case]:
            file = f"{case}/{frame.second:05d}.jpg"
            image = {"id": 664 + len(images), "file_name": file, "width": WIDTH, "height": HEIGHT}
            rows += _rows(frame, image, len(rows), variant)
            images.append({**image, "license": 1, "coco_url": ""})
    tree = {
        "info": {"description": "made-up sample in the layout of PSI-AVA"},
        "licenses": [{"id": 1, "name": "", "url": ""}],
        **category_lists(ACTIONS, ""),
        "images": images[::-1],
        "annotations": rows,
    }
    text = json.dumps(tree, indent=0)
    source = put(root, name, text)
    shown = [case for case in cases if pictures and case == CASES[0][0]]
    for case in shown:
        _write_pictures(root / "keyframes" / case, happens[case])
    return [
        _truth(case, happens[case], first_row[case], source, case in shown, variant)
        for case in cases
    ]


def _seconds(variant: int) -> list[int]:
    """The second of each keyframe, every 35 seconds; some variants have additional ones."""
    seconds = [1 + 35 * place for place in range(9)]
    return sorted({*seconds, 2, 41, 51}) if variant % 2 else seconds


def _rows(frame: Keyframe, image: dict[str, Any], first: int, variant: int) -> list[dict[str, Any]]:
    names = list(LABELS["instrument"])
    out = []
    for number, tool in enumerate(frame.tools):
        box = list(tool.box) if tool.box else [0, 0, 0, 0]
        if _too_large(tool.name, variant):
            box = [box[0], box[1], float(WIDTH), box[3]]
        out.append({
            "id": first + number + 1, "image_id": image["id"], "image_name": image["file_name"],
            "category_id": names.index(tool.name) + 1, "iscrowd": 0, "bbox": box,
            "actions": [ACTIONS.index(action) + 1 for action in tool.actions],
            "phase": frame.phase, "step": frame.step,
        })  # fmt: skip
    return out


def _too_large(name: str, variant: int) -> bool:
    return name == "Monopolar Curved Scissors" and variant % 5 == 0


def _write_pictures(folder: Path, frames: Sequence[Keyframe]) -> None:
    folder.mkdir(parents=True)
    for frame in frames:
        boxes = [tool.box for tool in frame.tools if tool.box]
        corners = [
            (x / WIDTH, y / HEIGHT, (x + w) / WIDTH, (y + h) / HEIGHT) for x, y, w, h in boxes
        ]
        image = png(picture(frame.second, corners, range(len(corners))))
        (folder / f"{frame.second:05d}.png").write_bytes(image)


def _truth(
    case: str, frames: Sequence[Keyframe], first_row: int, source: Source, shown: bool,
    variant: int,
) -> VideoEvidence:  # fmt: skip
    seen, cut, row = [], [], first_row
    for frame in frames:
        instances = true_instances(frame, {})
        for number, tool in enumerate(frame.tools):
            if _too_large(tool.name, variant):
                cut.append(f"{source.path} annotations[{row}]")
                old = instances[number]
                x1, y1, _, y2 = old.box_xyxy or (0.0,) * 4
                instances[number] = type(old)(old.label, (x1, y1, 1.0, y2), None, number)
            row += 1
        seen.append(instances)
    seconds = [frame.second for frame in frames]
    labels = tuple(sorted(LABELS["instrument"].values()))
    spoken = [frame for frame in frames if frame.tools]
    spans = [
        *true_workflow_spans(spoken, source.path),
        *true_action_spans(frames, first_row, source.path),
    ]
    video = _video(case, (seconds[-1] + 1) * SECOND_US, shown, source, labels)
    pointer = f"second {{frame}} of {case}, row {{row}} of the picture"
    table = true_table([s * SECOND_US for s in seconds], seconds, seen, labels, pointer)
    rejected = tuple(
        Rejected("read", f"psi_ava/{case}", Code.BAD_BOX, "", where, outcome="repaired")
        for where in cut
    )
    total = sum(len(frame.tools) for frame in frames)
    books = (Books("read", "label rows", total, total, 0),)
    return VideoEvidence(video, table, in_order(spans), rejected, books)


def _video(
    case: str, duration_us: int, shown: bool, source: Source, labels: tuple[str, ...]
) -> Video:
    picture = Media(MediaKind.FRAMES, f"keyframes/{case}", FILE_WIDTH, FILE_HEIGHT)
    return true_video(
        "psi_ava", case, "robot-assisted radical prostatectomy", "urology",
        "not stated for the data (the code that carries the labels is under MIT)", (source,),
        fps=ONE_A_SECOND, period_us=SECOND_US, duration_us=duration_us,
        media=picture if shown else Media(MediaKind.ABSENT), split_group=f"psi-ava/{case[-2:]}",
        vocabulary=labels,
    )  # fmt: skip

"""Writes what CVAT and Label Studio export, for the sample of the reader ``exports``."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surgqa.ontology.records import Code, Rejected, Source
from surgqa.transforms.readers.base.sample import Instance, put

WIDTH, HEIGHT = 640, 512


@dataclass(slots=True)
class Told:
    """What reading one video must find.

    Attributes:
        instants: frame -> instances; all annotated frames.
        between: (frame, row) of instances that are interpolated.
        end: frame after the last one, None for one period after the last instant.
        gap: frames between two instants.
        pointer: path or paths of the video's own files.
    """

    video_id: str
    pointer: str
    instants: dict[int, list[Instance]] = field(default_factory=dict)
    between: set[tuple[int, int]] = field(default_factory=set)
    rejected: list[Rejected] = field(default_factory=list)
    own: list[Source] = field(default_factory=list)
    end: int | None = None
    gap: int = 1

    def left(self, code: Code, where: str, count: int = 1, outcome: str = "rejected") -> None:
        key = f"exports/{self.video_id}"
        self.rejected.append(Rejected("read", key, code, "", where, count, outcome))


def write_images(
    root: Path, words: dict[str, str], procedures: int, seconds: int
) -> tuple[list[Told], list[Source]]:
    """CVAT for images: a box with a note, a tag without a place, a picture nobody has seen."""
    path = "annotations/images.xml"
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<annotations>", "<version>1.1</version>"]
    lines += ["<meta><task><labels>"]
    lines += [f"<label><name>{word}</name></label>" for word in words.values()]
    lines += ["</labels></task></meta>"]
    videos = []
    for case in range(procedures):
        told = Told(f"cvat_{case + 1:02d}", path)
        size = f'width="{WIDTH}" height="{HEIGHT}"'
        lines += [
            f'<image id="{3 * case}" name="{told.video_id}_000000.png" {size}>',
            f'<box label="{words["hook"]}" occluded="0" xtl="64" ytl="64" xbr="320" ybr="128">',
            '<attribute name="Seen by">Dr A</attribute></box>',
            f'<tag label="{words["scissors"]}"></tag></image>',
            f'<image id="{3 * case + 1}" name="{told.video_id}_000001.png" {size}>',
            f'<box label="{words["hook"]}" xtl="64" ytl="64" xbr="320" ybr="128" rotation="12"/>',
            "</image>",
            f'<image id="{3 * case + 2}" name="{told.video_id}_000002.png" {size}>',
            '<tag label="not_reviewed"/>',
        ]
        turned = len(lines) - 3
        lines += [
            f'<box label="{words["hook"]}" xtl="64" ytl="64" xbr="320" ybr="128"/>', "</image>",
        ]  # fmt: skip
        told.left(Code.EXCLUDED, f"{path}:{len(lines) - 1}")
        told.left(Code.BAD_BOX, f"{path}:{turned}", outcome="repaired")
        box = (64 / WIDTH, 64 / HEIGHT, 320 / WIDTH, 128 / HEIGHT)
        told.instants = {
            0: [Instance("hook", box, None, 0, attributes={"seen_by": "Dr A", "occluded": 0.0}),
                Instance("scissors", None, None, 1)],
            1: [Instance("hook", None, None, 0)],
        }  # fmt: skip
        told.end = 3
        videos.append(told)
    return videos, [put(root, path, ("\n".join([*lines, "</annotations>"]) + "\n").encode())]


def write_film(
    root: Path, words: dict[str, str], procedures: int, seconds: int
) -> tuple[list[Told], list[Source]]:
    """CVAT for video: a track that moves, and one that leaves; a file for each video."""
    files, videos = [], []
    for case in range(procedures):
        told = Told(f"film_{case + 1:02d}", f"annotations/film_{case + 1:02d}.xml")
        corners = '" ytl="64" xbr="320" ybr="128" outside="'
        text = f"""<?xml version="1.0" encoding="utf-8"?>
<annotations><version>1.1</version>
<meta><task><size>8</size><start_frame>0</start_frame><stop_frame>7</stop_frame>
<labels>{"".join(f"<label><name>{word}</name></label>" for word in words.values())}</labels>
<original_size><width>{WIDTH}</width><height>{HEIGHT}</height></original_size></task>
<source>{told.video_id}.mp4</source></meta>
<track id="3" label="{words["grasper"]}">
<box frame="0" xtl="64{corners}0" keyframe="1"/>
<box frame="4" xtl="192{corners}0" keyframe="1"/>
<box frame="6" xtl="192{corners}1" keyframe="1"/>
</track>
<track id="5" label="{words["hook"]}">
<box frame="7" xtl="64{corners}0" keyframe="1"/>
</track>
</annotations>
"""
        told.instants = {frame: [] for frame in range(8)}
        for frame in range(6):
            left = 64 / WIDTH + (192 / WIDTH - 64 / WIDTH) * (frame / 4)
            if frame >= 4:
                left = 192 / WIDTH
            box = (left, 64 / HEIGHT, 320 / WIDTH, 128 / HEIGHT)
            told.instants[frame].append(Instance("grasper", box, None, 0, 3))
            if frame not in (0, 4):
                told.between.add((frame, 0))
        still = (64 / WIDTH, 64 / HEIGHT, 320 / WIDTH, 128 / HEIGHT)
        told.instants[7].append(Instance("hook", still, None, 0, 5))
        files.append(put(root, told.pointer, text.encode()))
        videos.append(told)
    return videos, files


def write_tasks(
    root: Path, words: dict[str, str], procedures: int, seconds: int
) -> tuple[list[Told], list[Source]]:
    """Label Studio, pictures: a rectangle, an answer that was taken back, an unfinished task."""
    path = "annotations/tasks.json"
    tasks: list[dict[str, Any]] = []
    videos = []
    for case in range(procedures):
        told = Told(f"task_{case + 1:02d}", path)
        places = ((10.0, 25.0, 50.0, 12.5), (12.5, 25.0, 50.0, 12.5))
        for number in range(3):
            image = f"/data/upload/1/0a1b2c3d-{told.video_id}_{number * 3:06d}.png"
            done = [{"was_cancelled": True, "result": []},
                    {"result": _rectangle(words["clipper"], *places[number % 2])}]  # fmt: skip
            tasks.append({"id": len(tasks) + 1, "data": {"image": image},
                          "annotations": done if number < 2 else []})  # fmt: skip
        for number, (x, y, w, h) in enumerate(places):
            box = (x / 100, y / 100, x / 100 + w / 100, y / 100 + h / 100)
            told.instants[number * 3] = [Instance("clipper", box, None, 0)]
        told.gap = 3
        videos.append(told)
    return videos, [put(root, path, json.dumps(tasks).encode())]


def _rectangle(word: str, x: float, y: float, w: float, h: float) -> list[dict[str, Any]]:
    value = {"x": x, "y": y, "width": w, "height": h, "rotation": 0, "rectanglelabels": [word]}
    return [{"id": "r1", "type": "rectanglelabels", "original_width": WIDTH,
             "original_height": HEIGHT, "value": value},
            {"id": "c1", "type": "choices", "value": {"choices": ["clear view"]}}]  # fmt: skip


def write_sequence(
    root: Path, words: dict[str, str], procedures: int, seconds: int
) -> tuple[list[Told], list[Source]]:
    """Label Studio, video: a rectangle that moves and is switched off, one that stays."""
    path = "annotations/videos.json"
    tasks: list[dict[str, Any]] = []
    videos = []
    for case in range(procedures):
        told = Told(f"view_{case + 1:02d}", path)
        keys = [(1, 10.0, True), (3, 20.0, False), (5, 50.0, True)]
        sequence = [
            {"frame": frame, "enabled": on, "rotation": 0, "x": x, "y": 25.0, "width": 12.5,
             "height": 25.0, "time": frame / 2}
            for frame, x, on in keys
        ]  # fmt: skip
        value = {
            "framesCount": 6, "duration": 3.0, "sequence": sequence,
            "labels": [words["irrigator"]],
        }  # fmt: skip
        result = [{"id": "aB", "type": "videorectangle", "value": value}]
        tasks.append({"id": case + 1, "data": {"video": f"/data/upload/1/{told.video_id}.mp4"},
                      "annotations": [{"result": result}]})  # fmt: skip
        left = {0: 10.0 / 100, 1: 0.0, 2: 20.0 / 100, 4: 50.0 / 100, 5: 50.0 / 100}
        left[1] = left[0] + (left[2] - left[0]) * 0.5
        told.instants = {frame: [] for frame in range(6)}
        for frame, x in left.items():
            right = x + 12.5 / 100
            if frame == 1:
                right = (left[0] + 0.125) + ((left[2] + 0.125) - (left[0] + 0.125)) * 0.5
            told.instants[frame] = [Instance("irrigator", (x, 0.25, right, 0.5), None, 0, 0)]
        told.between = {(1, 0), (5, 0)}
        videos.append(told)
    return videos, [put(root, path, json.dumps(tasks).encode())]

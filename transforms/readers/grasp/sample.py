"""Write a small sample of GraSP in its real layout; all its data are made up."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from surgqa.ontology.masks import encoded
from surgqa.ontology.records import (
    Books,
    Clock,
    Media,
    MediaKind,
    Source,
    Span,
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
    Tool,
    category_lists,
    in_order,
    keyframes_of,
    true_action_spans,
    true_instances,
    true_workflow_spans,
)
from surgqa.transforms.readers.base.sample import Box, put, true_table, true_video

# The first two cases are in the training files, the third in the test files.
CASES = (("CASE001", "train"), ("CASE014", "train"), ("CASE041", "test"), ("CASE002", "train"))
ACTIONS = (
    "Cauterize", "Close", "Cut", "Grasp", "Hold", "Open", "Open Something", "Other", "Pull",
    "Push", "Release", "Still", "Suction", "Travel",
)  # fmt: skip
SECONDS = 73


@dataclass(frozen=True, slots=True)
class _Layout:
    """The release to imitate, and which of the two kinds of files exist."""

    release: str
    terms: tuple[str, ...]

    @property
    def counts_source(self) -> bool:
        return self.release.endswith("30fps")

    @property
    def clock(self) -> Clock:
        known = not self.counts_source or "long" in self.terms
        return Clock.TIME if known else Clock.ORDER

    def number(self, case: str, second: int) -> int:
        """Number in a file name; frame rates differ, and that of the first case drifts."""
        rate = {"CASE001": 45, "CASE002": 45, "CASE014": 37}.get(case, 30)
        return 15 + rate * second + second // 7 if self.counts_source else second

    def file(self, case: str, second: int) -> str:
        return f"{case}/{self.number(case, second):0{9 if self.counts_source else 5}d}.jpg"


def write(
    root: Path, *, procedures: int = 2, variant: int = 0, pictures: str | None = "png"
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of cases, 1 to 4.
        variant: determines the labels, the release (even: file names count frames of the source),
            and whether long-term (3, 10, 17) or short-term files (5, 12, 19) are left out.
        pictures: any text writes the images of the first case, if they are numbered by second;
            None: no images.
    """
    root = Path(root)
    terms = {3: ("short",), 5: ("long",)}.get(variant % 7, ("long", "short"))
    layout = _Layout("GraSP_1fps" if variant % 2 else "GraSP_30fps", terms)
    (root / layout.release / "annotations").mkdir(parents=True)
    evidence = []
    for side in ("train", "test"):
        cases = [case for case, there in CASES[:procedures] if there == side]
        if cases:
            evidence += _write_side(root, layout, side, cases, variant, bool(pictures))
    return Truth(tuple(sorted(evidence, key=lambda e: e.video.video_id)))


def _write_side(
    root: Path, layout: _Layout, side: str, cases: Sequence[str], variant: int, pictures: bool
) -> list[VideoEvidence]:
    workflow = {case: _seconds(case, variant) for case in cases}
    keys = {case: workflow[case][::35] for case in cases}
    shots = {
        case: [
            Keyframe(flow.second, flow.phase, flow.step, shot.tools)
            for flow, shot in zip(
                keys[case], keyframes_of(case, range(len(keys[case])), variant), strict=True
            )
        ]
        for case in cases
    }
    sources, first_row = {}, {}
    for term in layout.terms:
        name = f"{layout.release}/annotations/grasp_{term}-term_{side}.json"
        frames = workflow if term == "long" else shots
        text, first = _file(layout, frames, term == "short")
        sources[term] = put(root, name, text)
        first_row = first
    shown = [
        case for case in cases if pictures and case == CASES[0][0] and not layout.counts_source
    ]
    for case in shown:
        folder = root / layout.release / "frames" / case
        folder.mkdir(parents=True)
        for frame in shots[case]:
            image = png(picture(frame.second, [], []))
            (folder / f"{frame.second:05d}.png").write_bytes(image)
    return [
        _truth(case, layout, workflow[case], shots[case], first_row[case], sources, case in shown)
        for case in cases
    ]


def _seconds(case: str, variant: int) -> list[Keyframe]:
    """Phase and step of every second; in some variants, they are missing for a while."""
    coarse = keyframes_of(case, range(0, SECONDS, 6), variant)
    out = []
    for second in range(SECONDS):
        frame = coarse[second // 6]
        silent = variant % 4 == 2 and 20 <= second < 25
        out.append(Keyframe(second, -1 if silent else frame.phase, -1 if silent else frame.step))
    return out


def _file(
    layout: _Layout, frames: Mapping[str, Sequence[Keyframe]], instances: bool
) -> tuple[str, dict[str, int]]:
    images: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    first_row = {}
    for case, shown in frames.items():
        first_row[case] = len(rows)
        for frame in shown:
            file = layout.file(case, frame.second)
            image = {
                "id": len(images) + 1, "file_name": file, "width": WIDTH, "height": HEIGHT,
                "video_name": case, "frame_num": layout.number(case, frame.second),
            }  # fmt: skip
            tools: Sequence[Tool | None] = frame.tools if instances else [None]
            for tool in tools:
                rows.append(_row(len(rows) + 1, image, frame, tool))
            images.append(image)
    lists = category_lists(ACTIONS, "s")
    tree = {"info": {"description": "made up"}, **lists, "images": images, "annotations": rows}
    # With one object per line, the file is small and line numbers are useful.
    text = json.dumps(tree).replace('{"id"', '\n{"id"')
    return text + "\n", first_row


def _row(number: int, image: dict[str, Any], frame: Keyframe, tool: Tool | None) -> dict[str, Any]:
    row = {"id": number, "image_id": image["id"], "image_name": image["file_name"],
           "phases": frame.phase, "steps": frame.step}  # fmt: skip
    if tool is None:
        return row
    category = list(LABELS["instrument"]).index(tool.name) + 1
    row |= {
        "category_id": category, "instruments": category, "iscrowd": 0,
        "bbox": list(tool.box) if tool.box else [0, 0, 0, 0],
        "actions": [ACTIONS.index(action) + 1 for action in tool.actions],
    }  # fmt: skip
    if tool.masked:
        row["segmentation"] = {"size": [HEIGHT, WIDTH], "counts": _mask(tool).split(":", 1)[1]}
    return row


def _rectangle(tool: Tool) -> tuple[int, int, int, int]:
    """First and last-but-one column and row of the made-up mask."""
    x, y, w, h = tool.box or (400.0, 500.0, 120.0, 200.0)
    return round(x), round(y), round(x + w), round(y + h)


def _mask(tool: Tool) -> str:
    left, top, right, bottom = _rectangle(tool)
    pixels = np.zeros((HEIGHT, WIDTH), dtype=bool)
    pixels[top:bottom, left:right] = True
    return encoded(pixels)


def _masks(frame: Keyframe) -> dict[int, tuple[str, Box, float]]:
    out = {}
    for row, tool in enumerate(frame.tools):
        if tool.masked:
            left, top, right, bottom = _rectangle(tool)
            around = (left / WIDTH, top / HEIGHT, right / WIDTH, bottom / HEIGHT)
            area = (right - left) * (bottom - top) / (WIDTH * HEIGHT)
            out[row] = (_mask(tool), around, area)
    return out


def _truth(
    case: str, layout: _Layout, workflow: Sequence[Keyframe], shots: Sequence[Keyframe],
    first_row: int, sources: Mapping[str, Source], shown: bool,
) -> VideoEvidence:  # fmt: skip
    if layout.clock is Clock.ORDER:
        # Times are unknown; only the ranks of the keyframes remain.
        shots = [Keyframe(i, f.phase, f.step, f.tools) for i, f in enumerate(shots)]
    long, short = sources.get("long"), sources.get("short")
    spans: list[Span] = []
    if long:
        spans += true_workflow_spans(workflow, long.path)
    total = len(workflow) if long else 0
    labels = tuple(sorted(LABELS["instrument"].values())) if short else ()
    table = None
    if short:
        if not long:
            spans += true_workflow_spans([shot for shot in shots if shot.tools], short.path)
        spans += true_action_spans(shots, first_row, short.path)
        seconds = [shot.second for shot in shots]
        seen = [true_instances(shot, _masks(shot)) for shot in shots]
        pointer = f"second {{frame}} of {case}, row {{row}} of the picture"
        table = true_table([s * SECOND_US for s in seconds], seconds, seen, labels, pointer)
        total += sum(len(shot.tools) for shot in shots)
    last = (workflow if long else shots)[-1].second
    kept = tuple(sources[term] for term in ("long", "short") if term in sources)
    video = _video(case, layout, (last + 1) * SECOND_US, shown, kept, labels)
    books = (Books("read", "label rows", total, total, 0),)
    return VideoEvidence(video, table, in_order(spans), (), books)


def _video(
    case: str, layout: _Layout, duration_us: int, shown: bool, sources: tuple[Source, ...],
    labels: tuple[str, ...],
) -> Video:  # fmt: skip
    media = Media(MediaKind.ABSENT)
    if shown:
        folder = f"{layout.release}/frames/{case}"
        media = Media(MediaKind.FRAMES, folder, FILE_WIDTH, FILE_HEIGHT)
    return true_video(
        "grasp", case, "robot-assisted radical prostatectomy", "urology",
        "not stated for the data (the code is under MIT)", sources, fps=ONE_A_SECOND,
        period_us=SECOND_US, duration_us=duration_us, media=media,
        split_group=f"psi-ava/{case[-2:]}", vocabulary=labels, clock=layout.clock,
    )  # fmt: skip

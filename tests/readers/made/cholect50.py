"""Write a small sample of CholecT50 in its real layout; all its data are made up.

Layout and label names are those of the release; ``scene`` defines the events.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.records import (
    Books,
    Code,
    Media,
    MediaKind,
    Pair,
    Rejected,
    Source,
    Span,
    VideoEvidence,
)
from surgqa.ontology.times import frame_to_us, period_us
from surgqa.transforms.readers.base.triplets import (
    INSTRUMENTS,
    PHASES,
    TARGETS,
    TRIPLETS,
    VERBS,
    mapping_text,
)
from surgqa.transforms.samples.pictures import HEIGHT, WIDTH
from tests.readers.made.scene import (
    FULL_SECONDS,
    SceneInstrument,
    SceneSecond,
    seconds_of,
    write_pictures,
)
from tests.readers.made.truth import Box, Instance, Truth, true_table, true_video

TRUE_PHASES = (
    "preparation", "calot_triangle_dissection", "clipping_and_cutting", "gallbladder_dissection",
    "gallbladder_packaging", "cleaning_and_coagulation", "gallbladder_extraction",
)  # fmt: skip
"""The concept id of each of ``PHASES``."""

VIDEO_NUMBERS = (1, 2, 4, 5, 6, 8, 10, 12, 13, 14)
NOTHING = [-1, -1, -1.0, -1.0, -1.0, -1.0, -1.0, -1, -1, -1.0, -1.0, -1.0, -1.0, -1.0]
POINTER = 'annotations["{frame}"][{row}]'


def write(
    root: Path,
    *,
    procedures: int = 2,
    seconds: int = FULL_SECONDS,
    with_boxes: bool = True,
    fps: Fraction = Fraction(1),
    pictures: str | None = "png",
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 10.
        seconds: maximum number of annotated seconds of each video; the scene has 58.
        with_boxes: True: as in the challenge's validation clips; False: as in the release.
        fps: rate that the files state; frame ids do not depend on it.
        pictures: ``png`` or ``jpg`` frames for the first video; None: no frames.
    """
    root = Path(root)
    (root / "labels").mkdir(exist_ok=True)
    _write_text(root / "label_mapping.txt", mapping_text())
    evidence = []
    for place, number in enumerate(VIDEO_NUMBERS[:procedures]):
        video_id = f"VID{number:02d}"
        happens = seconds_of(video_id, seconds)
        text = json.dumps(_file(number, happens, with_boxes, fps))
        _write_text(root / "labels" / f"{video_id}.json", text)
        media = Media(MediaKind.ABSENT)
        if pictures and not place and happens:
            media = Media(MediaKind.FRAMES, f"videos/{video_id}", WIDTH, HEIGHT)
            write_pictures(root / "videos" / video_id, happens, pictures)
        source = Source(f"labels/{video_id}.json", bytes_digest(text.encode()))
        evidence.append(_truth(video_id, happens, with_boxes, fps, media, source))
    return tuple(evidence)


def _write_text(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


def _file(
    number: int, happens: list[SceneSecond], with_boxes: bool, fps: Fraction
) -> dict[str, Any]:
    names = {
        "instrument": INSTRUMENTS,
        "verb": VERBS,
        "target": TARGETS,
        "triplet": [",".join(triplet) for triplet in TRIPLETS],
        "phase": PHASES,
    }
    return {
        "info": {"dataset": "made-up sample in the layout of CholecT50", "url": "none: made up"},
        "licenses": {"id": 1, "name": "made up, free to use"},
        "categories": {
            kind: {str(index): name for index, name in enumerate(labels)}
            for kind, labels in names.items()
        },
        "video": number,
        "fps": fps.numerator if fps.denominator == 1 else float(fps),
        "num_frames": len(happens),
        "annotations": {str(second.number): _rows(second, with_boxes) for second in happens},
    }


def _rows(second: SceneSecond, with_boxes: bool) -> list[list[float]]:
    """Rows of one frame; without instruments, one null row, or no row if there is no phase."""
    phase = -1 if second.phase is None else second.phase
    if not second.seen:
        return [] if second.phase is None else [[*NOTHING, phase]]
    out = []
    for seen in second.seen:
        instrument = INSTRUMENTS.index(seen.instrument)
        box = list(seen.box_xywh) if with_boxes else [-1.0] * 4
        for action in (seen.action, *([seen.also] if seen.also else [])):
            verb = target = triplet = -1
            if action is not None:
                verb, target = VERBS.index(action[0]), TARGETS.index(action[1])
                triplet = TRIPLETS.index((seen.instrument, *action))
            head = [triplet, instrument, 1.0, *box, verb, target]
            out.append([*head, 1.0, -1.0, -1.0, -1.0, -1.0, phase])
    return out


def _truth(
    video_id: str, happens: list[SceneSecond], with_boxes: bool, fps: Fraction, media: Media,
    source: Source,
) -> VideoEvidence:  # fmt: skip
    times = [frame_to_us(second.number, fps) for second in happens]
    period = period_us(fps)
    seen, repairs = [], []
    for second in happens:
        instances, places = _instances(second, with_boxes)
        seen.append(instances)
        where = f'{source.path} annotations["{second.number}"]'
        repairs += [
            Rejected(
                "read", f"cholect50/{video_id}", Code.BAD_BOX, "", f"{where}[{row}]",
                outcome="repaired",
            )
            for row in places
        ]  # fmt: skip
    rows = sum(max(1, len(_rows(second, with_boxes))) for second in happens)
    labels = tuple(sorted(INSTRUMENTS))
    video = true_video(
        "cholect50", video_id, "laparoscopic cholecystectomy", "general surgery", "CC BY-NC-SA 4.0",
        (source,), fps=fps, period_us=period, duration_us=times[-1] + period if times else 0,
        media=media, split_group=f"cholec/{video_id.removeprefix('VID')}", vocabulary=labels,
    )  # fmt: skip
    frames = [second.number for second in happens]
    table = true_table(times, frames, seen, labels, POINTER)
    books = (Books("read", "label rows", rows, rows, 0),)
    return VideoEvidence(video, table, _spans(happens, fps, source), tuple(repairs), books)


def _instances(second: SceneSecond, with_boxes: bool) -> tuple[list[Instance], list[int]]:
    """The instances of one second, and the rows whose box exceeds the image."""
    instances: list[Instance] = []
    cut_rows: list[int] = []
    row = 0
    for seen in second.seen:
        actions = [action for action in (seen.action, seen.also) if action is not None]
        size = max(1, len(actions))
        if with_boxes:
            box, is_cut = _corners(seen)
            pairs = tuple(sorted(actions)) or None
            instances.append(Instance(seen.instrument, box, pairs, row))
            cut_rows += range(row, row + size) if is_cut else ()
        else:
            each: list[tuple[Pair, ...] | None] = [(action,) for action in actions] or [None]
            instances += [Instance(seen.instrument, None, p, row + i) for i, p in enumerate(each)]
        row += size
    return instances, cut_rows


def _corners(seen: SceneInstrument) -> tuple[Box, bool]:
    x, y, width, height = seen.box_xywh
    x2, y2 = x + width, y + height
    cut = (max(0.0, x), max(0.0, y), min(1.0, x2), min(1.0, y2))
    return cut, cut != (x, y, x2, y2)


def _spans(happens: list[SceneSecond], fps: Fraction, source: Source) -> tuple[Span, ...]:
    """Runs of adjacent seconds with one phase."""
    runs: list[list[SceneSecond]] = []
    for second in happens:
        if second.phase is None:
            continue
        before = runs[-1][-1] if runs else second
        if before.number + 1 == second.number and before.phase == second.phase:
            runs[-1].append(second)
        else:
            runs.append([second])
    out = []
    for run in runs:
        first, last = run[0].number, run[-1].number
        end_us = frame_to_us(last, fps) + period_us(fps)
        following = [second.number for second in happens if second.number > last]
        end_us = min([end_us, *(frame_to_us(number, fps) for number in following)])
        where = f'annotations["{first}"] to annotations["{last}"]'
        label = TRUE_PHASES[run[0].phase or 0]
        out.append(Span("phase", label, frame_to_us(first, fps), end_us, source.path, where))
    return tuple(out)

"""Write a small sample of CholecT50 in its real layout; all its data are made up.

Layout and label names are those of the release; ``scene`` defines the events.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from surgqa.transforms.readers.base.triplets import (
    INSTRUMENTS,
    PHASES,
    TARGETS,
    TRIPLETS,
    VERBS,
    mapping_text,
)
from tests.readers.made.scene import FULL_SECONDS, SceneSecond, seconds_of, write_pictures

VIDEO_NUMBERS = (1, 2, 4, 5, 6, 8, 10, 12, 13, 14)
NOTHING = [-1, -1, -1.0, -1.0, -1.0, -1.0, -1.0, -1, -1, -1.0, -1.0, -1.0, -1.0, -1.0]


def write(
    root: Path,
    *,
    procedures: int = 2,
    seconds: int = FULL_SECONDS,
    with_boxes: bool = True,
    pictures: str | None = "png",
) -> None:
    """Write the files of the sample.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 10.
        seconds: maximum number of annotated seconds of each video; the scene has 58.
        with_boxes: True: as in the challenge's validation clips; False: as in the release.
        pictures: ``png`` frames for the first video; None: no frames.
    """
    root = Path(root)
    (root / "labels").mkdir(exist_ok=True)
    _write_text(root / "label_mapping.txt", mapping_text())
    for place, number in enumerate(VIDEO_NUMBERS[:procedures]):
        video_id = f"VID{number:02d}"
        happens = seconds_of(video_id, seconds)
        text = json.dumps(_file(number, happens, with_boxes))
        _write_text(root / "labels" / f"{video_id}.json", text)
        if pictures and not place and happens:
            write_pictures(root / "videos" / video_id, happens, pictures)


def _write_text(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


def _file(number: int, happens: list[SceneSecond], with_boxes: bool) -> dict[str, Any]:
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
        "fps": 1,
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

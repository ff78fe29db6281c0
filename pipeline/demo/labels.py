"""A demonstration dataset on disk, in the layout of CholecT50's challenge validation part.

Layout and label names are CholecT50's.  Images and annotations are rendered and contain nothing
of that dataset.  The boxes are those of the drawn tips.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from surgqa.ontology.errors import OutputExists
from surgqa.pipeline.demo.anatomy import HEIGHT, WIDTH
from surgqa.pipeline.demo.film import FILM_FPS, write_film
from surgqa.pipeline.demo.script import (
    IDLE,
    DemoScript,
    acts_at,
    phase_at,
    pose_at,
    scripts,
    visible,
)
from surgqa.pipeline.demo.tools import tip_box
from surgqa.transforms.readers.base import triplets

Progress = Callable[[str, int, int], None]
"""Called with a video's name, the number of frames done and the total."""

NOTICE = """# Rendered demonstration

Drawn by `surgqa demo`: no patient, no surgery, no part of any dataset.  The folders
follow the layout of CholecT50's challenge validation part so that the real reader can
read them.

- `videos/VIDnnn/000000.jpg`: one picture a second
- `labels/VIDnnn.json`: instruments, boxes, actions, targets and phase of every second
- `video/VIDnnn.mp4`: the same scenes to watch, with a clock in the lower left corner

Public domain (CC0 1.0).  Not fit for training or judging a model.
"""


@dataclass(frozen=True, slots=True)
class DemoDataset:
    """A demonstration dataset on disk.

    Attributes:
        root: the dataset's folder.
        videos: names in order.
        seconds: total length of all videos.
    """

    root: Path
    videos: tuple[str, ...]
    seconds: int


DATA = "data.js"
"""File that every page of 'surgqa demo' has."""


def refuse_foreign(root: Path, page: Path) -> None:
    """Refuse to overwrite files that do not belong to the demonstration.

    Raises:
        UserError: the folder of the dataset or of the page exists and contains something else.
    """
    notice = root / "README.md"
    mine = notice.is_file() and notice.read_bytes() == NOTICE.encode()
    full = root.exists() and (not root.is_dir() or any(root.iterdir()))
    there = [root] if full and not mine else []
    there += [page] if page.exists() and not (page / DATA).is_file() else []
    if there:
        raise OutputExists(
            f"{there[0]} exists already", expected="a new folder, or one of 'surgqa demo'",
            where="--out", fix="name another folder",
        )  # fmt: skip


def write_demo_dataset(root: Path, progress: Progress = lambda *_: None) -> DemoDataset:
    """Write frames, videos, labels and the mapping file; the bytes are always the same.

    Args:
        root: output folder; created if missing, files of the same name are replaced.
        progress: called from worker threads, one call at a time.
    """
    root = Path(root)
    root.mkdir(parents=True, exist_ok=True)
    (root / "README.md").write_bytes(NOTICE.encode())  # written first: it marks the folder as ours
    (root / "labels").mkdir(exist_ok=True)
    (root / "label_mapping.txt").write_bytes(triplets.mapping_text().encode())
    lock = Lock()

    def write(script: DemoScript) -> None:
        def report(done: int, total: int) -> None:
            with lock:
                progress(script.video_id, done, total)

        text = json.dumps(label_file(script), separators=(", ", ": "))
        (root / "labels" / f"{script.video_id}.json").write_bytes(text.encode())
        write_film(
            script,
            root / "videos" / script.video_id,
            root / "video" / f"{script.video_id}.mp4",
            report,
        )

    with ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(write, scripts()))
    return DemoDataset(
        root, tuple(s.video_id for s in scripts()), sum(s.seconds for s in scripts())
    )


def triplet_ids() -> dict[tuple[str, str, str], int]:
    """Return the number of each of the 100 triplets (instrument, verb, target) of the dataset."""
    return {names: number for number, names in enumerate(triplets.TRIPLETS)}


def label_file(script: DemoScript) -> dict:
    """Return the content of ``labels/VIDnnn.json``."""
    seconds = [s for s in range(script.seconds) if s not in script.unannotated]
    return {
        "info": {
            "dataset": "rendered demonstration in the layout of cholect50-challenge-validation",
            "description": f"{script.title}; drawn, not filmed, at {FILM_FPS} pictures a second",
            "bbox format": "[x1,y1,bw,bh] == [top_left_x, top_left_y, box_width, box_height]",
        },
        "licenses": {
            "id": 1,
            "name": "CC0 1.0",
            "url": "https://creativecommons.org/publicdomain/zero/1.0/",
        },
        "categories": _categories(),
        "video": int(script.video_id.removeprefix("VID")),
        "fps": 1,
        "num_frames": len(seconds),
        "annotations": {str(second): rows_at(script, second) for second in seconds},
    }


def _categories() -> dict[str, dict[str, str]]:
    names = {
        "instrument": triplets.INSTRUMENTS,
        "verb": triplets.VERBS,
        "target": triplets.TARGETS,
        "triplet": [",".join(parts) for parts in triplets.TRIPLETS],
        "phase": triplets.PHASES,
    }
    return {kind: {str(k): name for k, name in enumerate(all_)} for kind, all_ in names.items()}


def rows_at(script: DemoScript, second: int) -> list[list]:
    """Return the rows of one annotated second: 15 numbers each, -1 if nothing is in view.

    Boxes are x, y, width, height as shares of the frame; the last number is the phase.
    """
    phase = triplets.PHASES.index(phase_at(script, second))
    ids, rows = triplet_ids(), []
    for role in script.roles:
        pose = pose_at(role, second)
        if not visible(pose):
            continue
        x1, y1, x2, y2 = tip_box(role.instrument, pose)
        box = [x1 / WIDTH, y1 / HEIGHT, (x2 - x1) / WIDTH, (y2 - y1) / HEIGHT]
        pairs = [(act.verb, act.target) for act in acts_at(role, second)] or [IDLE]
        for verb, target in pairs:
            number = ids[role.instrument, verb, target]
            parts = (triplets.VERBS.index(verb), triplets.TARGETS.index(target))
            rows.append(
                [number, triplets.INSTRUMENTS.index(role.instrument), 1.0, *box, *parts, 1.0]
                + [-1.0] * 4
                + [phase]
            )
    return rows or [[-1] * 14 + [phase]]

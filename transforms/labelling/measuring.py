"""Measure a detector on the held-out part, which is never used for training.

The measure is COCO's (``transforms.evidence.detect.measure``): precision at 101 recalls, mAP50 at
an overlap of 0.5, mAP50-95 over 0.5, 0.55 … 0.95, both averaged over the classes in the reviewed
frames.  With ``.onnx`` weights it needs no PyTorch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ontology.errors import UserError
from ontology.keys import digest
from transforms.evidence.base import FrameExtractor
from transforms.labelling.layer import layers_of, truth_of
from transforms.labelling.rounds import HELD_OUT, Project
from transforms.labelling.settings import Measuring
from transforms.labelling.view import StoreView
from transforms.media import FrameBatch

DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Known:
    """A reviewed frame of the held-out part.

    Attributes:
        boxes: rows of a layer; none if nothing is visible.
    """

    video_id: str
    time_us: int
    frame: int
    boxes: tuple[dict[str, Any], ...]


def known_frames(project: Project, view: StoreView, part: str = HELD_OUT) -> list[Known]:
    """The reviewed frames of a part with their boxes, by video and time."""
    found = []
    for video_id in view.videos():
        layers = layers_of(project.store, video_id)
        numbers = {time_us: frame for one in layers for time_us, frame in one.reviewed.items()}
        found += [
            Known(video_id, time_us, numbers[time_us], tuple(boxes))
            for time_us, boxes in truth_of(layers, part).items()
        ]
    return found


def truth_digest(frames: list[Known]) -> str:
    """Digest of the reference; measurements with different digests cannot be compared."""
    parts: list[object] = []
    for one in frames:
        parts += [one.video_id, one.time_us]
        for row in one.boxes:
            parts += [row["kind"], row["label"], *(repr(row[c]) for c in ("x1", "y1", "x2", "y2"))]
    return digest(*parts)


def about_truth(project: Project, frames: list[Known]) -> dict[str, Any]:
    """The reference as plain JSON."""
    asked = sum(len(one.chosen) for one in project.rounds() if one.part == HELD_OUT)
    boxes = Counter(row["label"] for one in frames for row in one.boxes)
    return {
        "frames": len(frames),
        "of": asked,
        "boxes": dict(sorted(boxes.items())),
        "truth": truth_digest(frames),
    }


def measured(
    view: StoreView, frames: list[Known], detector: FrameExtractor, settings: Measuring
) -> dict[str, Any]:
    """Average precision of a detector on reviewed frames.

    Returns:
        Plain JSON: ``map50``, ``map50_95``, and for each class ``known``, ``found``, ``ap50`` and
        ``ap50_95``.

    Raises:
        UserError: no frames, or no boxes on any of them.
    """
    from transforms.evidence.detect.measure import measure

    if not any(one.boxes for one in frames):
        raise UserError(
            "there are no frames to measure on",
            expected="reviewed frames of the part held out, with boxes",
            found=f"{len(frames)} reviewed frame(s) without a box" if frames else "none reviewed",
            fix="surgqa label choose STORE --part held-out, correct, and import",
        )
    found: list[tuple[int, dict[str, Any]]] = []
    for first, batch in _batches(view, frames, settings.batch):
        at = {int(time_us): first + n for n, time_us in enumerate(batch.times_us)}
        found += [(at[row["time_us"]], row) for row in detector.look(batch).to_pylist()]
    known = [(n, row) for n, frame in enumerate(frames) for row in frame.boxes]
    result = measure(_columns(found), _columns(known))
    counts = Counter(_class(row) for _, row in found)
    return {
        "map50": round(result.map50, DECIMALS),
        "map50_95": round(result.map50_95, DECIMALS),
        "classes": {
            name: {
                "known": result.known[name],
                "found": counts[name],
                "ap50": round(ap50, DECIMALS),
                "ap50_95": round(ap50_95, DECIMALS),
            }
            for name, (ap50, ap50_95) in result.classes.items()
        },
    }


def _class(row: dict[str, Any]) -> str:
    return row["label"] if row["kind"] == "instrument" else f"{row['kind']} {row['label']}"


def _columns(rows: list[tuple[int, dict[str, Any]]]) -> Any:
    from transforms.evidence.detect.measure import Found

    boxes = [[row[corner] for corner in ("x1", "y1", "x2", "y2")] for _, row in rows]
    return Found(
        np.array([picture for picture, _ in rows], np.int64),
        np.array([_class(row) for _, row in rows], str),
        np.array(boxes, np.float64).reshape(-1, 4),
        np.array([row["score"] for _, row in rows], np.float64),
    )


def _batches(view: StoreView, frames: list[Known], size: int) -> Iterator[tuple[int, FrameBatch]]:
    """Index of the first frame, and its images; a batch has frames of one video."""
    start = 0
    number = 0
    while start < len(frames):
        video_id = frames[start].video_id
        part = [one for one in frames[start : start + size] if one.video_id == video_id]
        pictures = [view.picture(one.video_id, one.time_us) for one in part]
        yield start, FrameBatch(
            number, size,
            np.array([one.time_us for one in part], np.int64),
            np.array([one.frame for one in part], np.int64),
            pictures, np.ones(len(part), bool),
        )  # fmt: skip
        start += len(part)
        number += 1

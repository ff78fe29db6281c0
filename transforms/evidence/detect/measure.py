"""Average precision of detected boxes against known boxes.

Detected boxes are taken in order of score. Each detected box is matched to the known box of its
class that it overlaps most, among the boxes that are not matched yet. As in COCO, precision is made
non-increasing in recall and averaged over 101 recalls. The mean is over the classes that have known
boxes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from surgqa.ontology.boxes import iou

OVERLAPS = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))
RECALLS = np.linspace(0, 1, 101)


@dataclass(frozen=True, slots=True, eq=False)
class BoxSet:
    """N boxes in some images, detected or known.

    Attributes:
        picture: int64 (N,), number of the image.
        label: str (N,), class.
        box_xyxy: float64 (N, 4), corners in any unit.
        score: float64 (N,); ignored for known boxes.
    """

    picture: np.ndarray
    label: np.ndarray
    box_xyxy: np.ndarray
    score: np.ndarray


@dataclass(frozen=True, slots=True)
class Measured:
    """Average precision, in [0, 1]; NaN if there are no known boxes.

    Attributes:
        map50: mean over classes at an overlap of 0.5.
        map50_95: mean over classes and the ten overlaps 0.5, 0.55, … 0.95.
        classes: for each class, (AP at 0.5, mean AP over the ten overlaps).
        known: for each class, the number of known boxes.
    """

    map50: float
    map50_95: float
    classes: Mapping[str, tuple[float, float]]
    known: Mapping[str, int]


def measure(found: BoxSet, known: BoxSet) -> Measured:
    """Average precision of detected boxes; both tables number the images in the same way."""
    labels = sorted(set(known.label.tolist()))
    table: dict[str, tuple[float, float]] = {}
    for label in labels:
        precision = _class_precisions(_only(found, label), _only(known, label))
        table[label] = (float(precision[0]), float(precision.mean()))
    means = [
        float(np.mean([row[n] for row in table.values()])) if table else np.nan for n in (0, 1)
    ]
    counts = {label: int((known.label == label).sum()) for label in labels}
    return Measured(means[0], means[1], table, counts)


def _only(boxes: BoxSet, label: str) -> BoxSet:
    keep = boxes.label == label
    return BoxSet(
        boxes.picture[keep], boxes.label[keep], boxes.box_xyxy[keep], boxes.score[keep]
    )  # fmt: skip


def _class_precisions(found: BoxSet, known: BoxSet) -> np.ndarray:
    """(10,) average precision at each of ``OVERLAPS``."""
    order = np.lexsort((*found.box_xyxy.T, found.picture, -found.score))
    right = np.zeros((len(order), len(OVERLAPS)), bool)
    taken = np.zeros((len(known.picture), len(OVERLAPS)), bool)
    places = {p: np.flatnonzero(known.picture == p) for p in np.unique(known.picture).tolist()}
    for row, index in enumerate(order):
        near = places.get(int(found.picture[index]))
        if near is None:
            continue
        overlap = iou(known.box_xyxy[near], found.box_xyxy[index])
        for column, least in enumerate(OVERLAPS):
            free = np.where(taken[near, column], -1.0, overlap)
            best = int(free.argmax())
            if free[best] >= least:
                taken[near[best], column] = right[row, column] = True
    return np.array([_average(right[:, c], len(known.picture)) for c in range(len(OVERLAPS))])


def _average(right: np.ndarray, known: int) -> float:
    if not len(right):
        return 0.0
    hits = right.cumsum()
    recall = hits / known
    precision = hits / np.arange(1, len(right) + 1)
    falling = np.maximum.accumulate(precision[::-1])[::-1]
    place = np.searchsorted(recall, RECALLS, side="left")
    reached = np.append(falling, 0.0)[np.minimum(place, len(falling))]
    return float(reached.mean())

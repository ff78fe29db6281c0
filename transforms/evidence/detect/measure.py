"""Average precision of detected boxes against known boxes.

Detected boxes are taken in order of score. Each detected box is matched to the known box of its
class that it overlaps most, among the boxes that are not matched yet. As in COCO, precision is made
non-increasing in recall and averaged over 101 recalls. The mean is over the classes that have known
boxes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from surgqa.ontology.boxes import iou

OVERLAPS = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))
RECALLS = np.linspace(0, 1, 101)
BoxRow = tuple[int, str, Sequence[float], float]
"""Number of the image, class, corners in any unit, and score, which is ignored for known boxes."""


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


def measure(found: Sequence[BoxRow], known: Sequence[BoxRow]) -> Measured:
    """Average precision of detected boxes; both lists number the images in the same way."""
    counts = Counter(label for _, label, _, _ in known)
    table: dict[str, tuple[float, float]] = {}
    for label in sorted(counts):
        rows = ([one for one in boxes if one[1] == label] for boxes in (found, known))
        precision = _class_precisions(*rows)
        table[label] = (float(precision[0]), float(precision.mean()))
    means = [
        float(np.mean([row[n] for row in table.values()])) if table else np.nan for n in (0, 1)
    ]
    return Measured(means[0], means[1], table, dict(sorted(counts.items())))


def _class_precisions(found: Sequence[BoxRow], known: Sequence[BoxRow]) -> np.ndarray:
    """(10,) average precision at each of ``OVERLAPS``."""
    corners, truth = (np.array([one[2] for one in rows], np.float64).reshape(-1, 4)
                      for rows in (found, known))  # fmt: skip
    picture, shown = (np.array([one[0] for one in rows], np.int64) for rows in (found, known))
    order = np.lexsort((*corners.T, picture, -np.array([one[3] for one in found], np.float64)))
    right = np.zeros((len(order), len(OVERLAPS)), bool)
    taken = np.zeros((len(shown), len(OVERLAPS)), bool)
    places = {p: np.flatnonzero(shown == p) for p in np.unique(shown).tolist()}
    for row, index in enumerate(order):
        near = places.get(int(picture[index]))
        if near is None:
            continue
        overlap = iou(truth[near], corners[index])
        for column, least in enumerate(OVERLAPS):
            free = np.where(taken[near, column], -1.0, overlap)
            best = int(free.argmax())
            if free[best] >= least:
                taken[near[best], column] = right[row, column] = True
    return np.array([_average(right[:, c], len(shown)) for c in range(len(OVERLAPS))])


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

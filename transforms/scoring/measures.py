"""Formulas for the errors, scores and overlaps of one item, in plain floats.

Boxes are (x1, y1, x2, y2) in [0, 1]. The distance of two boxes is the Euclidean distance of their
centres, without a correction for the aspect ratio, and at most the square root of two. The formulas
are from the evaluation section of arXiv 2604.00784. Where the paper gives no number,
docs/scoring.md states our choice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import sqrt

SQRT2 = sqrt(2.0)
RELATIVE_FLOOR = 0.01
"""Smallest divisor of a relative error, because the gold value may be 0."""

BoxLike = Sequence[float]


def score(error: float) -> float:
    """Return the score max(0, 1 - error), in [0, 1]."""
    return max(0.0, 1.0 - error)


def iou(a_xyxy: BoxLike, b_xyxy: BoxLike) -> float:
    """Return the intersection over union of two boxes: 0 if they are disjoint, 1 if identical.

    Identical boxes without area also give 1, because the rounding of printed boxes may make both
    edges of a thin box equal.
    """
    if tuple(a_xyxy) == tuple(b_xyxy):
        return 1.0
    width = min(a_xyxy[2], b_xyxy[2]) - max(a_xyxy[0], b_xyxy[0])
    height = min(a_xyxy[3], b_xyxy[3]) - max(a_xyxy[1], b_xyxy[1])
    if width <= 0 or height <= 0:
        return 0.0
    inner = width * height
    union = _area(a_xyxy) + _area(b_xyxy) - inner
    return min(inner / union, 1.0)


def _area(box_xyxy: BoxLike) -> float:
    return (box_xyxy[2] - box_xyxy[0]) * (box_xyxy[3] - box_xyxy[1])


def centre_distance(a_xyxy: BoxLike, b_xyxy: BoxLike) -> float:
    """Return the distance of the two centres, in [0, sqrt 2]."""
    dx = ((a_xyxy[0] + a_xyxy[2]) - (b_xyxy[0] + b_xyxy[2])) / 2
    dy = ((a_xyxy[1] + a_xyxy[3]) - (b_xyxy[1] + b_xyxy[3])) / 2
    return sqrt(dx * dx + dy * dy)


def spatial_error(a_xyxy: BoxLike, b_xyxy: BoxLike) -> float:
    """Return the centre distance divided by sqrt 2, in [0, 1]."""
    return centre_distance(a_xyxy, b_xyxy) / SQRT2


def temporal_error(predicted_s: float, gold_s: float, duration_s: float) -> float:
    """Return |predicted - gold| / duration; if the duration is 0, 1 unless both are equal."""
    if predicted_s == gold_s:
        return 0.0
    return abs(predicted_s - gold_s) / duration_s if duration_s > 0 else 1.0


def spatiotemporal_error(errors: Iterable[tuple[float, float]]) -> float:
    """Return the mean of sqrt(temporal error^2 + spatial error^2) over the end points.

    This is the composite error ST of the paper.

    Args:
        errors: temporal and spatial error of each end point.
    """
    terms = [sqrt(temporal * temporal + spatial * spatial) for temporal, spatial in errors]
    return sum(terms) / len(terms)


def relative_score(predicted: float | None, gold: float) -> float:
    """Return max(0, 1 - |predicted - gold| / max(|gold|, 0.01)); 0 if ``predicted`` is None."""
    if predicted is None:
        return 0.0
    return score(abs(predicted - gold) / max(abs(gold), RELATIVE_FLOOR))


def temporal_iou(a_s: tuple[float, float], b_s: tuple[float, float]) -> float:
    """Return the IoU of two half-open intervals in seconds, 0 if they are disjoint."""
    if a_s == b_s:
        return 1.0
    inner = min(a_s[1], b_s[1]) - max(a_s[0], b_s[0])
    outer = max(a_s[1], b_s[1]) - min(a_s[0], b_s[0])
    return max(inner, 0.0) / outer if outer > 0 else 0.0


def set_f1(predicted: Collection[str], gold: Collection[str]) -> float:
    """Return the F1 score of two sets; 1 if both are empty."""
    mine, other = frozenset(predicted), frozenset(gold)
    if not mine and not other:
        return 1.0
    return 2 * len(mine & other) / (len(mine) + len(other))


def rouge_l(predicted: Sequence[str], gold: Sequence[str]) -> float:
    """Return ROUGE-L (Lin 2004) of two sequences: the F1 of their longest common subsequence."""
    if not predicted and not gold:
        return 1.0
    return 2 * _common(predicted, gold) / (len(predicted) + len(gold))


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    row = [0] * (len(b) + 1)
    for token in a:
        corner = 0
        for j, other in enumerate(b, start=1):
            above = row[j]
            row[j] = corner + 1 if token == other else max(above, row[j - 1])
            corner = above
    return row[-1]

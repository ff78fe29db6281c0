"""Centres, distances, overlaps and speeds with plain arithmetic."""

from __future__ import annotations

from math import sqrt

from ontology.concepts import boundary_margin, scale
from transforms.checks.evidence import Box, Placed

STEP_LIMIT = 0.6
"""Fastest believable motion of a centre, normalised units per second."""


def centre(box: Box) -> tuple[float, float]:
    """Middle of a box."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def distance(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Euclidean distance of two points."""
    dx, dy = a[0] - b[0], a[1] - b[1]
    return sqrt(dx * dx + dy * dy)


def overlap(a: Box, b: Box) -> float:
    """Intersection over union of two boxes; 0 where they are apart or merely touch."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    inner = width * height
    area_a = (a[2] - a[0]) * (a[3] - a[1])
    area_b = (b[2] - b[0]) * (b[3] - b[1])
    return inner / (area_a + area_b - inner)


def path_length(samples: list[Placed]) -> float:
    """Sum of the steps of the centre."""
    total = 0.0
    for before, after in zip(samples, samples[1:], strict=False):
        total += distance(centre(before.box), centre(after.box))
    return total


def step_speeds(samples: list[Placed]) -> list[float]:
    """Speed of each step in normalised units per second."""
    out = []
    for before, after in zip(samples, samples[1:], strict=False):
        step = distance(centre(before.box), centre(after.box))
        out.append(step / ((after.time_us - before.time_us) / 1e6))
    return out


def word(name: str, value: float) -> str:
    """Word of the scale ``speed`` or ``path`` for a value."""
    found = scale(name).words[0]
    for text, bound in zip(scale(name).words, scale(name).bounds, strict=True):
        if value >= bound:
            found = text
    return found


def boundary_distance(name: str, value: float) -> float:
    """Smallest relative distance of the value from a class boundary of the scale."""
    return min(abs(value - bound) / bound for bound in scale(name).bounds if bound > 0)


def margin() -> float:
    """Relative distance below which a word must not be asserted."""
    return boundary_margin()

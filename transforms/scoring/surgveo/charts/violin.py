"""Violin plots: the spread of the samples' scores, with a panel for each dimension of a track."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ontology.continuations import DIMENSIONS, HIGHEST, LOWEST, PROMPTS, TIMES_S, ScoreRow
from transforms.scoring.surgveo.cells import (
    CellKey,
    Scores,
    print_fraction,
    same_raters,
    scores_by_cell,
    violin_points,
)
from transforms.scoring.surgveo.charts.svg import COLOURS, GRID, INK, Drawing

PANEL, WIDTH, HEIGHT = 260, 236, 250
LEFT, TOP, BOTTOM = 46, 62, 44
HALF = 15
"""Half the width of a violin at its widest, in pixels."""
BANDWIDTH = Fraction(3, 5)
"""Half the width of the kernel, in points of the rating scale."""
STEPS = 10
"""Number of outline points for each point of the rating scale."""


def density(points: Sequence[Fraction], at: Fraction, bandwidth: Fraction = BANDWIDTH) -> Fraction:
    """Return the sum of the points' biweight kernels (1 - u^2)^2; it is not normalised.

    The kernel is a polynomial with compact support, which fractions compute exactly.  With a
    Gaussian, the last digit would depend on the machine's mathematics library.
    """
    total = Fraction(0)
    for point, times in Counter(points).items():
        u = (at - point) / bandwidth
        if abs(u) < 1:
            total += times * (1 - u * u) ** 2
    return total


def outline(points: Sequence[Fraction]) -> list[tuple[Fraction, Fraction]]:
    """Return (score, density scaled to a maximum of 1) from the lowest to the highest point."""
    low, high = min(points), max(points)
    steps = max(1, int((high - low) * STEPS))
    places = [low + (high - low) * k / steps for k in range(steps + 1)]
    densities = [density(points, one) for one in places]
    most = max(densities)
    return [(place, found / most) for place, found in zip(places, densities, strict=True)]


def violin_chart(rows: Iterable[ScoreRow], track: str) -> bytes:
    """Return an SVG of one track: a panel for each dimension; in it the times and the prompts.

    A violin covers the samples' means over raters; its dots are the samples, its bar the mean.

    Raises:
        UserError: raters or samples differ within a cell.
    """
    scores = {key: one for key, one in scores_by_cell(rows).items() if key[0] == track}
    same_raters(scores)
    drawing = Drawing(LEFT + PANEL * len(DIMENSIONS) + 10, TOP + HEIGHT + BOTTOM,
                      f"Scores of the {track} track")  # fmt: skip
    drawing.text((LEFT, 20), f"{track}: scores by dimension, time and prompt", "start", 14)
    for k, prompt in enumerate(PROMPTS):
        drawing.bar((LEFT + 130 * k, 28), (10, 10), COLOURS[k])
        drawing.text((LEFT + 130 * k + 15, 37), prompt.replace("_", "-"), "start")
    for k, dimension in enumerate(DIMENSIONS):
        _panel(drawing, LEFT + PANEL * k, dimension, track, scores)
    return drawing.to_bytes()


def _panel(
    drawing: Drawing, left: int, dimension: str, track: str, scores: Mapping[CellKey, Scores]
) -> None:
    drawing.text((left + WIDTH // 2, TOP - 8), DIMENSIONS[dimension])
    for score in range(LOWEST, HIGHEST + 1):
        y = _y(Fraction(score))
        drawing.line((left, y), (left + WIDTH, y), GRID)
        drawing.text((left - 6, y + 4), str(score), "end")
    for t, time_s in enumerate(TIMES_S):
        middle = left + 40 + t * WIDTH // len(TIMES_S)
        drawing.text((middle, TOP + HEIGHT + 18), f"{time_s} s")
        for p, prompt in enumerate(PROMPTS):
            cell = scores.get((track, prompt, time_s, dimension))
            if cell:
                x = middle + (2 * p - 1) * (HALF + 3)
                _violin(drawing, x, sorted(violin_points(cell).values()), COLOURS[p])


def _violin(drawing: Drawing, x: int, points: Sequence[Fraction], colour: str) -> None:
    edge = [(HALF * width, _y(score)) for score, width in outline(points)]
    right = [(x + width, y) for width, y in edge]
    left = [(x - width, y) for width, y in reversed(edge)]
    drawing.area([*right, *left], colour)
    for point in dict.fromkeys(points):
        drawing.dot((x, _y(point)), 2, colour)
    mean = sum(points, Fraction(0)) / len(points)
    drawing.line((x - HALF // 2, _y(mean)), (x + HALF // 2, _y(mean)), INK, 2)
    drawing.text((x, TOP + HEIGHT + 34), print_fraction(mean, 2), size=10)


def _y(score: Fraction) -> Fraction:
    return TOP + HEIGHT * (HIGHEST - score) / (HIGHEST - LOWEST)

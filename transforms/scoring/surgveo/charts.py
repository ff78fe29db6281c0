"""Charts of scores as SVG files; the same scores give the same bytes.

Bar charts show the shares of error types in each track. Violin plots show how the samples' scores
are distributed, with a panel for each dimension of a track. Coordinates are computed exactly and
have two decimals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from xml.sax.saxutils import escape, quoteattr

from surgqa.ontology import continuations
from surgqa.transforms.scoring.surgveo import cells

INK, GRID = "#222222", "#cccccc"
COLOURS = ("#3b6ea8", "#d9822b", "#5a9a5a", "#a85a8e", "#8a7f3f", "#6b6b9e")
"""Colours that people with colour blindness can also distinguish."""

Number = int | Fraction
Point = tuple[Number, Number]


class Drawing:
    """Builds an SVG image shape by shape.

    Args:
        title: title of the image, for screen readers.
    """

    def __init__(self, width: int, height: int, title: str) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label={quoteattr(title)} '
            'font-family="sans-serif" font-size="12">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        ]

    def draw(self, tag: str, words: str | None = None, **attributes: Number | str) -> None:
        """Add an SVG element; ``_`` in the name of an attribute stands for ``-``."""
        shown = "".join(
            f' {name.replace("_", "-")}="{one if isinstance(one, str) else _text(one)}"'
            for name, one in attributes.items()
        )
        self._parts.append(
            f"<{tag}{shown}/>" if words is None else f"<{tag}{shown}>{escape(words)}</{tag}>"
        )

    def line(self, start: Point, end: Point, colour: str = INK, width: int = 1) -> None:
        """Draw a straight line."""
        (x1, y1), (x2, y2) = start, end
        self.draw("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=width)

    def area(self, points: Iterable[Point], colour: str) -> None:
        """Draw a closed shape that is filled with a transparent colour."""
        path = " ".join(f"{_text(x)},{_text(y)}" for x, y in points)
        self.draw("polygon", points=path, fill=colour, fill_opacity="0.35", stroke=colour)

    def bar(self, corner: Point, size: Point, colour: str) -> None:
        """Draw a filled rectangle."""
        self.draw("rect", x=corner[0], y=corner[1], width=size[0], height=size[1], fill=colour)

    def dot(self, centre: Point, radius: int, colour: str) -> None:
        """Draw a small disc."""
        self.draw("circle", cx=centre[0], cy=centre[1], r=radius, fill=colour, fill_opacity="0.6")

    def text(self, at: Point, words: str, anchor: str = "middle", size: int = 12) -> None:
        """Draw words on one line; ``anchor`` is start, middle or end."""
        self.draw("text", words, x=at[0], y=at[1], text_anchor=anchor, font_size=size, fill=INK)

    def to_bytes(self) -> bytes:
        """Return the finished file."""
        return ("\n".join([*self._parts, "</svg>"]) + "\n").encode()


def _text(value: Number) -> str:
    text = cells.print_fraction(Fraction(value), 2)
    return text.rstrip("0").rstrip(".")


BARS, LONGEST, ROW, HEAD = 220, 360, 24, 40


def shares_chart(found: Sequence[cells.ErrorShares]) -> bytes:
    """Return a bar chart as SVG: for each track, the share of each error type in all marks."""
    block = HEAD + ROW * len(continuations.ERROR_TYPES) + 10
    drawing = Drawing(BARS + LONGEST + 110, 10 + block * len(found), "Shares of error types")
    most = max([one.share(name) for one in found for name in one.counts], default=Fraction(0))
    for k, one in enumerate(found):
        _block(drawing, 10 + block * k, one, most or Fraction(1))
    return drawing.to_bytes()


def _block(drawing: Drawing, top: int, one: cells.ErrorShares, most: Fraction) -> None:
    drawing.text((10, top + 20), f"{one.track}: {one.marks} marks", "start", 14)
    base = top + HEAD
    drawing.line((BARS, base - 6), (BARS, base + ROW * len(one.counts)), GRID)
    for k, (name, count) in enumerate(one.counts.items()):
        y = base + ROW * k
        length = LONGEST * one.share(name) / most
        drawing.text((BARS - 8, y + 11), continuations.ERROR_TYPES[name], "end")
        drawing.bar((BARS, y), (length, ROW - 10), COLOURS[k % len(COLOURS)])
        words = f"{count} ({one.printed(name)} %)"
        drawing.text((BARS + length + 6, y + 11), words, "start")


PANEL, WIDTH, HEIGHT = 260, 236, 250
LEFT, TOP, BOTTOM = 46, 62, 44
HALF = 15
"""Half the width of a violin at its widest, in pixels."""
BANDWIDTH = Fraction(3, 5)
"""Half the width of the kernel that smooths a violin, in points of the rating scale."""
STEPS = 10
"""Number of outline points for each point of the rating scale."""


def density(points: Sequence[Fraction], at: Fraction, bandwidth: Fraction = BANDWIDTH) -> Fraction:
    """Return the density of scores at one score: the sum of biweight kernels (1 - u^2)^2.

    The sum is not normalised. Fractions compute this kernel exactly; the last digit of a Gaussian
    would depend on the machine.
    """
    total = Fraction(0)
    for point, times in Counter(points).items():
        u = (at - point) / bandwidth
        if abs(u) < 1:
            total += times * (1 - u * u) ** 2
    return total


def outline(points: Sequence[Fraction]) -> list[tuple[Fraction, Fraction]]:
    """Return the outline of a violin: (score, density scaled to a maximum of 1), ascending."""
    low, high = min(points), max(points)
    steps = max(1, int((high - low) * STEPS))
    places = [low + (high - low) * k / steps for k in range(steps + 1)]
    densities = [density(points, one) for one in places]
    most = max(densities)
    return [(place, found / most) for place, found in zip(places, densities, strict=True)]


def violin_chart(rows: Iterable[continuations.ScoreRow], track: str) -> bytes:
    """Return the violin plots of one track as SVG, with a panel for each dimension.

    A panel has a violin for each time and prompt. Its dots are the samples (means over raters), its
    bar is their mean.
    """
    scores = cells.scores_by_cell(row for row in rows if row.track == track)
    drawing = Drawing(LEFT + PANEL * len(continuations.DIMENSIONS) + 10, TOP + HEIGHT + BOTTOM,
                      f"Scores of the {track} track")  # fmt: skip
    drawing.text((LEFT, 20), f"{track}: scores by dimension, time and prompt", "start", 14)
    for k, prompt in enumerate(continuations.PROMPTS):
        drawing.bar((LEFT + 130 * k, 28), (10, 10), COLOURS[k])
        drawing.text((LEFT + 130 * k + 15, 37), prompt.replace("_", "-"), "start")
    for k, dimension in enumerate(continuations.DIMENSIONS):
        _panel(drawing, LEFT + PANEL * k, dimension, track, scores)
    return drawing.to_bytes()


def _panel(
    drawing: Drawing,
    left: int,
    dimension: str,
    track: str,
    scores: Mapping[cells.CellKey, cells.Scores],
) -> None:
    drawing.text((left + WIDTH // 2, TOP - 8), continuations.DIMENSIONS[dimension])
    for score in range(continuations.LOWEST, continuations.HIGHEST + 1):
        y = _y(Fraction(score))
        drawing.line((left, y), (left + WIDTH, y), GRID)
        drawing.text((left - 6, y + 4), str(score), "end")
    for t, time_s in enumerate(continuations.TIMES_S):
        middle = left + 40 + t * WIDTH // len(continuations.TIMES_S)
        drawing.text((middle, TOP + HEIGHT + 18), f"{time_s} s")
        for p, prompt in enumerate(continuations.PROMPTS):
            cell = scores.get((track, prompt, time_s, dimension))
            if cell:
                x = middle + (2 * p - 1) * (HALF + 3)
                _violin(drawing, x, sorted(cells.violin_points(cell).values()), COLOURS[p])


def _violin(drawing: Drawing, x: int, points: Sequence[Fraction], colour: str) -> None:
    edge = [(HALF * width, _y(score)) for score, width in outline(points)]
    right = [(x + width, y) for width, y in edge]
    left = [(x - width, y) for width, y in reversed(edge)]
    drawing.area([*right, *left], colour)
    for point in dict.fromkeys(points):
        drawing.dot((x, _y(point)), 2, colour)
    mean = sum(points, Fraction(0)) / len(points)
    drawing.line((x - HALF // 2, _y(mean)), (x + HALF // 2, _y(mean)), INK, 2)
    drawing.text((x, TOP + HEIGHT + 34), cells.print_fraction(mean, 2), size=10)


def _y(score: Fraction) -> Fraction:
    return TOP + HEIGHT * (continuations.HIGHEST - score) / (
        continuations.HIGHEST - continuations.LOWEST
    )

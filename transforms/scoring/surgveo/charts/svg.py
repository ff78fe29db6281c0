"""A small writer of SVG: shapes in drawing order, coordinates with two decimals."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from xml.sax.saxutils import escape, quoteattr

from transforms.scoring.surgveo.cells import print_fraction

INK, GRID = "#222222", "#cccccc"
COLOURS = ("#3b6ea8", "#d9822b", "#5a9a5a", "#a85a8e", "#8a7f3f", "#6b6b9e")
"""Distinguishable with colour blindness as well; labels never depend on colour alone."""

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

    def line(self, start: Point, end: Point, colour: str = INK, width: int = 1) -> None:
        """Draw a straight line."""
        (x1, y1), (x2, y2) = start, end
        self._parts.append(
            f'<line x1="{_text(x1)}" y1="{_text(y1)}" x2="{_text(x2)}" y2="{_text(y2)}" '
            f'stroke="{colour}" stroke-width="{width}"/>'
        )

    def area(self, points: Iterable[Point], colour: str) -> None:
        """Draw a closed shape with a transparent filling."""
        path = " ".join(f"{_text(x)},{_text(y)}" for x, y in points)
        self._parts.append(
            f'<polygon points="{path}" fill="{colour}" fill-opacity="0.35" stroke="{colour}"/>'
        )

    def bar(self, corner: Point, size: Point, colour: str) -> None:
        """Draw a filled rectangle."""
        (x, y), (width, height) = corner, size
        self._parts.append(
            f'<rect x="{_text(x)}" y="{_text(y)}" width="{_text(width)}" '
            f'height="{_text(height)}" fill="{colour}"/>'
        )

    def dot(self, centre: Point, radius: int, colour: str) -> None:
        """Draw a small disc."""
        x, y = centre
        self._parts.append(
            f'<circle cx="{_text(x)}" cy="{_text(y)}" r="{radius}" fill="{colour}" '
            'fill-opacity="0.6"/>'
        )

    def text(self, at: Point, words: str, anchor: str = "middle", size: int = 12) -> None:
        """Draw words on one line; ``anchor`` is start, middle or end."""
        x, y = at
        self._parts.append(
            f'<text x="{_text(x)}" y="{_text(y)}" text-anchor="{anchor}" font-size="{size}" '
            f'fill="{INK}">{escape(words)}</text>'
        )

    def to_bytes(self) -> bytes:
        """Return the finished file."""
        return ("\n".join([*self._parts, "</svg>"]) + "\n").encode()


def _text(value: Number) -> str:
    text = print_fraction(Fraction(value), 2)
    return text.rstrip("0").rstrip(".")

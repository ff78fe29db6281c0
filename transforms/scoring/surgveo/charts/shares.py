"""Bar chart of the shares of error types, track by track."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ontology.continuations import ERROR_TYPES
from transforms.scoring.surgveo.charts.svg import COLOURS, GRID, Drawing
from transforms.scoring.surgveo.errors import ErrorShares

LEFT, WIDTH, ROW, HEAD = 220, 360, 24, 40


def shares_chart(found: Sequence[ErrorShares]) -> bytes:
    """Return an SVG with a block for each track; bar lengths are shares of the track's marks."""
    block = HEAD + ROW * len(ERROR_TYPES) + 10
    drawing = Drawing(LEFT + WIDTH + 110, 10 + block * len(found), "Shares of error types")
    most = max([one.share(name) for one in found for name in one.counts], default=Fraction(0))
    for k, one in enumerate(found):
        _block(drawing, 10 + block * k, one, most or Fraction(1))
    return drawing.to_bytes()


def _block(drawing: Drawing, top: int, one: ErrorShares, most: Fraction) -> None:
    drawing.text((10, top + 20), f"{one.track}: {one.marks} marks", "start", 14)
    base = top + HEAD
    drawing.line((LEFT, base - 6), (LEFT, base + ROW * len(one.counts)), GRID)
    for k, (name, count) in enumerate(one.counts.items()):
        y = base + ROW * k
        length = WIDTH * one.share(name) / most
        drawing.text((LEFT - 8, y + 11), ERROR_TYPES[name], "end")
        drawing.bar((LEFT, y), (length, ROW - 10), COLOURS[k % len(COLOURS)])
        words = f"{count} ({one.printed(name)} %)"
        drawing.text((LEFT + length + 6, y + 11), words, "start")

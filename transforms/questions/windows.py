"""Windows of a chain's stages: as short as they may be, their place drawn."""

from __future__ import annotations

from fractions import Fraction

from ontology.keys import Key

Span = tuple[int, int]
"""(start, end) in microseconds of the recording."""

PLACES = (Fraction(1, 5), Fraction(7, 20), Fraction(1, 2), Fraction(13, 20), Fraction(4, 5))
"""At which share of a window's free time what it holds may begin: not always in the middle."""


def width(held: Span, at_least: int, room: int) -> int:
    """How long a window is."""
    return max(at_least, held[1] - held[0] + room)


def placed(held: Span, wide: int, limits: Span, key: Key, turn: int = 0) -> Span:
    """A window of this length around something, moved as far as its limits ask.

    Args:
        turn: how many places have been tried before.
    """
    share = Fraction(key.ordered([str(place) for place in PLACES])[turn])
    start = held[0] - int(share * (wide - (held[1] - held[0])))
    start = max(limits[0], min(start, limits[1] - wide))
    return start, start + wide


def nested_width(answer: int, wrong: int, room: int) -> int:
    """How long a window has to be that holds the window of a stage with stretches for options.

    They are ``wrong`` and one, each as long as the answer; it is longer than their window by
    another of them, and by room of its own.
    """
    return (wrong + 2) * answer + 2 * room

"""Windows of a chain's stages: as short as they may be, their place drawn."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ontology.keys import Key
from transforms.language.program import StageWindow
from transforms.timeline.relation import SHIFT, Relation

Span = tuple[int, int]
"""(start, end) in microseconds of the recording."""

PLACES = (Fraction(1, 5), Fraction(7, 20), Fraction(1, 2), Fraction(13, 20), Fraction(4, 5))
"""At which share of a window's free time what it holds may begin: not always in the middle."""

EDGE = 2_000_000
"""How much longer a window is than what lies in it, microseconds."""


def width(held: Span, at_least: int, room: int) -> int:
    """How long a window is that holds something."""
    return max(at_least, held[1] - held[0] + room)


def looked_around(
    relation: Relation, window: StageWindow, video: int, held: Sequence[Span],
    limits: Sequence[Span],
) -> list[Span]:  # fmt: skip
    """The limits, narrowed to where a window's kind was looked for all the way around its own.

    Where that was not looked at as a whole, or nobody looked, they stay as they are.

    Args:
        video: index of the recording that all of them are of.
        held: what each window holds.
    """
    holes = relation.holes.joined()
    of = np.isin(holes.kind, relation.kind_codes([window.looked])) & (holes.video == video)
    of &= holes.u1 - holes.u0 >= window.lasting
    base = video << SHIFT
    begin, reach = holes.u0[of] - base, np.maximum.accumulate(holes.u1[of] - base)
    out = []
    for (a, b), (low, high) in zip(held, limits, strict=True):
        after = int(np.searchsorted(begin, a, "right"))
        last = int(reach[after - 1]) if after else low
        first = int(begin[after]) if after < len(begin) else high
        out.append((max(low, last), min(high, first)) if last <= a and b <= first else (low, high))
    return out


def placed(held: Span, wide: int, limits: Span, key: Key, turn: int = 0) -> Span:
    """A window of this length around something, moved as far as its limits ask.

    Args:
        turn: how many places have been tried before.
    """
    share = Fraction(key.ordered([str(place) for place in PLACES])[turn])
    start = held[0] - int(share * (wide - (held[1] - held[0])))
    start = max(limits[0], min(start, limits[1] - wide))
    return start, start + wide

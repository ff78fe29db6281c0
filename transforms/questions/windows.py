"""The windows of a chain's stages: as short as possible, each at a drawn position."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from surgqa.ontology.keys import Key
from surgqa.transforms.language.program import StageWindow
from surgqa.transforms.timeline.relation import SHIFT, Relation

Spans = np.ndarray
"""int64 (n, 2): start and end of each, in microseconds of its video."""

PLACES = (Fraction(1, 5), Fraction(7, 20), Fraction(1, 2), Fraction(13, 20), Fraction(4, 5))
"""Share of the time by which a window can be moved that lies before its content; drawn."""

_PARTS = {str(place): int(place * 20) for place in PLACES}

EDGE = 2_000_000
"""How much longer a window is than its content, in microseconds."""


def looked_around(
    relation: Relation, window: StageWindow, video: int, held: Spans, limits: Spans
) -> Spans:
    """Return ``limits``, narrowed to the stretch around ``held`` in which a kind was annotated.

    The template's ``looked`` names the kind. The limits stay unchanged if ``held`` itself is not
    fully annotated.

    Args:
        video: index of the video to which all windows belong.
        held: the content of each window.
    """
    holes = relation.holes.joined()
    of = np.isin(holes.kind, relation.kind_codes([window.looked])) & (holes.video == video)
    of &= holes.u1 - holes.u0 >= window.lasting
    if not of.any():
        return limits
    base, (low, high) = video << SHIFT, limits.T
    begin, reach = holes.u0[of] - base, np.maximum.accumulate(holes.u1[of] - base)
    after = np.searchsorted(begin, held[:, 0], "right")
    last = np.where(after > 0, reach[after - 1], low)
    first = np.where(after < len(begin), begin[np.minimum(after, len(begin) - 1)], high)
    inside = (last <= held[:, 0]) & (held[:, 1] <= first)
    narrow = np.stack([np.maximum(low, last), np.minimum(high, first)], axis=1)
    return np.where(inside[:, None], narrow, limits)


def shares_of(key: Key) -> list[int]:
    """Return the positions of a window in the order in which they are tried.

    A position is a number of twentieths of the time by which the window can be moved.
    """
    return [_PARTS[place] for place in key.ordered(_PARTS)]


def placed(held: Spans, wide: np.ndarray, limits: Spans, share: np.ndarray) -> Spans:
    """Return windows of the lengths ``wide`` around ``held``, moved to stay in ``limits``.

    Args:
        share: positions from :func:`shares_of`.
    """
    free = wide - (held[:, 1] - held[:, 0])
    start = held[:, 0] - np.sign(free) * (share * np.abs(free) // 20)
    start = np.maximum(limits[:, 0], np.minimum(start, limits[:, 1] - wide))
    return np.stack([start, start + wide], axis=1)

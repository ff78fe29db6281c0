"""Scales: words for ranges of a number ("short", "long"), and the nine parts of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from surgqa.ontology.concepts import load_data
from surgqa.ontology.ratings import rating
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Box, Label
from surgqa.transforms.algebra.tree import Amount

Steps = Sequence[tuple[str, float]]
"""(word, lowest value of its range), ascending."""

ACROSS, DOWN = ("left", "centre", "right"), ("upper", "middle", "lower")
NINTHS = tuple(f"{down} {across}" for down in DOWN for across in ACROSS)


def steps_of(scale: Any) -> Steps:
    """Return (word, lowest value) pairs of a scale, which the ontology or the template defines."""
    if isinstance(scale, str):
        return _named(scale)
    return tuple((str(word), float(low)) for word, low in scale)


@cache
def _named(name: str) -> Steps:
    return tuple((row["word"], float(row["from"])) for row in load_data("vocab", "speeds")[name])


@cache
def rating_steps(concept: str) -> Steps:
    """Return the words for the values of a rating; none if no template asks about the rating."""
    scale = rating(concept)
    if scale.asked is None:
        return ()
    words = scale.buckets[scale.asked]
    return tuple(zip(words.words, words.bounds, strict=True))


def ninth(box: Box, clear: Amount | None, rows: Rows) -> Label:
    """Return which ninth of the frame ("upper left") contains the centre of each row's box.

    It is unknown if the centre is less than ``clear`` away from a border of the ninth.
    """
    x, y = box.centre.T
    known = box.ok & ~np.isnan(x)
    column, row = (np.clip((np.where(known, v, 0) * 3).astype(np.int64), 0, 2) for v in (x, y))
    code = np.array([rows.relation.codes.code(word) for word in NINTHS], np.int64)
    ok = known.copy()
    if clear is not None:
        for value in (x, y):
            for border in (1 / 3, 2 / 3):
                ok &= np.abs(value - border) >= clear.low
    return Label(code[row * 3 + column], ok, box.none)

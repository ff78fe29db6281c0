"""Scales: words for ranges of a number ("short", "long"), and the nine parts of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surgqa.ontology.concepts import load_data, raw_terms
from surgqa.ontology.ratings import rating

Steps = Sequence[tuple[str, float]]
"""(word, lowest value of its range), ascending."""

ACROSS, DOWN = ("left", "centre", "right"), ("upper", "middle", "lower")
NINTHS = tuple(f"{down} {across}" for down in DOWN for across in ACROSS)


def steps_of(scale: Any) -> Steps:
    """Return (word, lowest value) pairs of a scale, which the ontology or the template defines."""
    if isinstance(scale, str):
        return tuple(
            (row["word"], float(row["from"])) for row in load_data("vocab", "speeds")[scale]
        )
    return tuple((str(word), float(low)) for word, low in scale)


def rated() -> dict[str, Steps]:
    """Return, for each rating that questions ask about, its words with their lowest values."""
    out: dict[str, Steps] = {}
    for concept in sorted(raw_terms("ratings")):
        scale = rating(concept) if "range" in raw_terms("ratings")[concept] else None
        if scale is not None and scale.asked is not None:
            words = scale.buckets[scale.asked]
            out[concept] = tuple(zip(words.words, words.bounds, strict=True))
    return out

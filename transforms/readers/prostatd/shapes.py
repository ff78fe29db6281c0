"""Parse a rectangle of a LabelMe file: an instrument, its box, its verb and its target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontology.records import IDLE, Code
from transforms.readers.base import concept_of
from transforms.readers.base.whole_frames import Found, WrongRow, found_box


def shape_of(entry: Any, width: int, height: int, known: Mapping[str, Mapping[str, Any]]) -> Found:
    """The concepts and the box of a shape.

    Args:
        width, height: size of the image in pixels.
        known: result of ``ontology.concepts.label_map``.

    Raises:
        WrongRow: the shape is invalid.
    """
    attributes = (entry.get("attributes") or {}) if isinstance(entry, dict) else None
    if not isinstance(attributes, dict):
        raise WrongRow(Code.BAD_ROW, f"a shape is {entry!r:.60} and no object with attributes")
    concepts = []
    told = (entry.get("label"), attributes.get("Action"), attributes.get("Target"))
    for kind, word in zip(("instrument", "verb", "target"), told, strict=True):
        # A missing verb or target is null: the text "null" or the value.
        concept = concept_of(kind, "null" if word is None else str(word), known)
        if isinstance(concept, tuple):
            raise WrongRow(*concept)
        concepts.append(concept)
    instrument, verb, target = concepts
    if (verb == IDLE[0]) != (target == IDLE[1]):
        raise WrongRow(Code.CONTRADICTION, f"only one of verb {verb} and target {target} is null")
    points = entry.get("points")
    if not points:
        return Found(instrument, pair=(verb, target))
    try:
        (x1, y1), (x2, y2) = points
    except (TypeError, ValueError):
        raise WrongRow(Code.BAD_BOX, f"points {points!r:.60} are no two corners") from None
    return Found(instrument, *found_box((x1, y1, x2, y2), width, height), (verb, target))

"""What was measured about a detector: when a missing detection means that a class is absent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.keys import digest

FILE = "label/fitness.json"
"""File in a store to which ``surgqa label evaluate`` writes the result."""


CONTACT = "contact"
"""Contacts of instruments with tissues are measured like a class of this name."""


@dataclass(frozen=True, slots=True)
class ClassFitness:
    """What may be concluded from the boxes of one class that a model found, and did not find.

    Attributes:
        guard_us: the class is absent at times further than this from all its boxes; None: its
            absence is never known.
        alone: True if no more instances of the class are in view than the model found (at least 1).
        believed: True if detections count as correct; False if reviews showed that they are not.
    """

    guard_us: int | None = None
    alone: bool = False
    believed: bool = True


@dataclass(frozen=True, slots=True)
class Fitness:
    """What may be concluded from a model's boxes, by class.

    Attributes:
        made_by: result of :func:`made_by` for the measured evidence; valid only for such evidence.
        complete: True if no instruments are in view that the model does not know.
        reach_us: longest interval for which absence was measured, in microseconds; 0: instants.
    """

    made_by: str = ""
    classes: Mapping[str, ClassFitness] | None = None
    complete: bool = False
    reach_us: int = 0

    def of(self, label: str) -> ClassFitness:
        """Return what may be concluded about a class: nothing if it was not measured."""
        return (self.classes or {}).get(label, ClassFitness())


def fitness_from(entry: Mapping[str, Any]) -> Fitness:
    """Return the fitness from parsed JSON.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: the JSON has another structure.
    """
    classes = {
        str(name): ClassFitness(
            None if one["guard_us"] is None else _length(one["guard_us"]),
            one["alone"] is True, one["believed"] is True,
        )
        for name, one in entry["classes"].items()
    }  # fmt: skip
    complete = entry["complete"] is True
    return Fitness(str(entry["made_by"]), classes, complete, _length(entry["reach_us"]))


def _length(value: object) -> int:
    """Return the value, if it is a length in microseconds.

    Raises:
        ValueError: the value is not an integer of 0 or more.
    """
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is not a length in microseconds")
    return value


def made_by(facts: Mapping[str, Any]) -> str:
    """Return a digest of everything that produced a video's boxes: model, settings, linking, frame
    rate.

    Args:
        facts: the content of ``video.json``, or the relevant part of it.
    """
    rules, model = facts.get("rules") or {}, (facts.get("extractors") or {}).get("detect") or {}
    parts = (model.get("digest"), *(rules.get(name) for name in ("code", "rate", "link", "media")))
    return digest("boxes made by", *map(str, parts))

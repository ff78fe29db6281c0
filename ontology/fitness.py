"""The measured fitness of a detector: when a missing detection means absence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ontology.keys import digest

FILE = "label/fitness.json"
"""File in a store where ``surgqa label evaluate`` saves the result."""


CONTACT = "contact"
"""Name used like a class: an instrument that touches a tissue."""


@dataclass(frozen=True, slots=True)
class ClassFitness:
    """What may be concluded from a model's boxes of one class.

    Attributes:
        guard_us: the class is absent at times that are further than this from all its boxes; None:
            absence is never known.
        alone: at an instant with detections, no further instance is in view.
        believed: detections are correct; False if reviewers proved otherwise.
    """

    guard_us: int | None = None
    alone: bool = False
    believed: bool = True


@dataclass(frozen=True, slots=True)
class Fitness:
    """What may be concluded from a model's boxes, by class.

    Attributes:
        made_by: :func:`made_by` of the measured evidence; the result is valid only for it.
        complete: no instrument of an unknown class is in view.
        reach_us: longest interval for which absence was measured, microseconds; 0: only instants.
    """

    made_by: str = ""
    classes: Mapping[str, ClassFitness] | None = None
    complete: bool = False
    reach_us: int = 0

    def of(self, label: str) -> ClassFitness:
        """The result for a class; an empty one if it was not measured."""
        return (self.classes or {}).get(label, ClassFitness())


def fitness_from(told: Mapping[str, Any]) -> Fitness:
    """The fitness from plain JSON.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: it has another form.
    """
    classes = {
        str(name): ClassFitness(
            None if one["guard_us"] is None else _length(one["guard_us"]),
            one["alone"] is True, one["believed"] is True,
        )
        for name, one in told["classes"].items()
    }  # fmt: skip
    complete = told["complete"] is True
    return Fitness(str(told["made_by"]), classes, complete, _length(told["reach_us"]))


def _length(value: object) -> int:
    """Microseconds.

    Raises:
        ValueError: not an integer of 0 or more.
    """
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is no length in microseconds")
    return value


def made_by(told: Mapping[str, Any]) -> str:
    """Digest of the origin of a video's boxes: model, settings, linking, rate.

    Args:
        told: ``video.json``, or the relevant part of it.
    """
    rules, model = told.get("rules") or {}, (told.get("extractors") or {}).get("detect") or {}
    parts = (model.get("digest"), *(rules.get(name) for name in ("code", "rate", "link", "media")))
    return digest("boxes made by", *map(str, parts))

"""How far a model's silence may be believed: what was measured, and what it was measured of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ontology.keys import digest

FILE = "label/fitness.json"
"""Where ``surgqa label evaluate`` keeps it in a store."""


CONTACT = "contact"
"""Named like a class: an instrument that touches a tissue."""


@dataclass(frozen=True, slots=True)
class ClassFitness:
    """What may be concluded from a model's boxes of one class.

    Attributes:
        guard_us: away from every box of the class by more than this, the class is absent;
            None: what was not seen is never known to be absent.
        alone: where it is seen, no more of its instances are in view than were seen.
        believed: where it is seen, it is there; False where reviewers proved otherwise.
    """

    guard_us: int | None = None
    alone: bool = False
    believed: bool = True


@dataclass(frozen=True, slots=True)
class Fitness:
    """What may be concluded from a model's boxes, class by class.

    Attributes:
        made_by: :func:`made_by` of the evidence that was measured; it holds of no other.
        complete: no instrument is in view of a class that the model does not know.
        reach_us: longest stretch over which absence was measured, microseconds; 0: instants.
    """

    made_by: str = ""
    classes: Mapping[str, ClassFitness] | None = None
    complete: bool = False
    reach_us: int = 0

    def of(self, label: str) -> ClassFitness:
        """What was measured of a class; nothing where it was not."""
        return (self.classes or {}).get(label, ClassFitness())


def fitness_from(told: Mapping[str, Any]) -> Fitness:
    """The fitness of plain JSON.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: it is none.
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
        ValueError: not a whole number from 0 on.
    """
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is no length in microseconds")
    return value


def made_by(told: Mapping[str, Any]) -> str:
    """Digest of what made the boxes of a video: model, settings, linking, rate.

    Args:
        told: ``video.json``, or as much of it as there is.
    """
    rules, model = told.get("rules") or {}, (told.get("extractors") or {}).get("detect") or {}
    parts = (model.get("digest"), *(rules.get(name) for name in ("code", "rate", "link", "media")))
    return digest("boxes made by", *map(str, parts))

"""What the missing detections of a model mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from surgqa.ontology.same import same

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Absence:
    """What missing detections mean, for C classes at T instants.

    Attributes:
        labels: C concept ids, sorted.
        gone: bool (T, C), without a row of the class, no instance of it is in view.
        alone: bool (T, C), with rows of the class, no further instance of it is in view.
    """

    labels: tuple[str, ...]
    gone: np.ndarray
    alone: np.ndarray

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Absence):
            return NotImplemented
        return all(same(getattr(self, name), getattr(other, name)) for name in self.__slots__)

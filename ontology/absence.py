"""The conclusions that missing detections of a model allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from surgqa.ontology.same import same

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Absence:
    """The conclusions that missing detections allow, for C classes at T instants.

    Attributes:
        labels: C concept ids, sorted.
        gone: bool (T, C), True where no instance of the class is in view if the class has no row.
        alone: bool (T, C), True where no further instance of the class is in view if the class has
            rows.
    """

    labels: tuple[str, ...]
    gone: np.ndarray
    alone: np.ndarray

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Absence):
            return NotImplemented
        return all(same(getattr(self, name), getattr(other, name)) for name in self.__slots__)

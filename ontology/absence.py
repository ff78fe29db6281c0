"""What a model's silence says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ontology.same import same

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Absence:
    """What a model's silence says, of C classes at T instants.

    Attributes:
        labels: C concept ids, sorted.
        gone: bool (T, C): if there is no row of the class, none of it is in view.
        alone: bool (T, C): if there are rows of the class, no further one of it is in view.
    """

    labels: tuple[str, ...]
    gone: np.ndarray
    alone: np.ndarray

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Absence):
            return NotImplemented
        return all(same(getattr(self, name), getattr(other, name)) for name in self.__slots__)

"""The instants at which a class is known to be absent, if a model searched for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from surgqa.ontology.same import same

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Absence:
    """Whether a missing detection means absence, for C classes at T instants.

    Attributes:
        labels: C concept ids, sorted.
        gone: bool (T, C). True: if the model found no instance of the class at the instant, there
            is none in view.
        alone: bool (T, C). True: if the model found instances of the class at the instant, there
            are no others in view.
    """

    labels: tuple[str, ...]
    gone: np.ndarray
    alone: np.ndarray

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Absence):
            return NotImplemented
        return all(same(getattr(self, name), getattr(other, name)) for name in self.__slots__)

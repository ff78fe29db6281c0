"""What a model's silence says."""

from __future__ import annotations

from dataclasses import dataclass

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
        same = np.array_equal(self.gone, other.gone) and np.array_equal(self.alone, other.alone)
        return same and self.labels == other.labels

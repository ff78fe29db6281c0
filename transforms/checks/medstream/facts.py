"""What is known besides the rows: how long recordings are, and whether media are there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from transforms.checks.medstream.sample import Sample


@dataclass(frozen=True, slots=True)
class Facts:
    """Nothing needs to be known; what is known is held against the rows.

    Attributes:
        durations: (dataset, video id as in the rows) -> end of the recording, in the rows'
            time unit.
        is_there: whether a dataset (first) has a file or folder of this path (second); None
            where that cannot be told.
    """

    durations: Mapping[tuple[str, str], float] = field(default_factory=dict)
    is_there: Callable[[str, str], bool | None] | None = None

    def duration(self, sample: Sample) -> float | None:
        """Where the sample's recording ends, if that is known."""
        return self.durations.get((sample.dataset, sample.video))

"""Optional knowledge about videos and media that row checks use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from surgqa.transforms.checks.medstream.sample import StreamRow


@dataclass(frozen=True, slots=True)
class StreamFacts:
    """Optional knowledge that is compared with the rows.

    Attributes:
        durations: (dataset, video id as in the rows) -> end of the video, in the rows'
            time unit.
        is_there: whether a dataset (first) has a file or folder of this path (second); None
            if that is unknown.
    """

    durations: Mapping[tuple[str, str], float] = field(default_factory=dict)
    is_there: Callable[[str, str], bool | None] | None = None

    def duration(self, sample: StreamRow) -> float | None:
        """Return the end of the sample's video, None if unknown."""
        return self.durations.get((sample.dataset, sample.video))

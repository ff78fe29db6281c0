"""What is known about the videos and media of rows besides the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from surgqa.transforms.checks.medstream.sample import StreamRow


@dataclass(frozen=True, slots=True)
class StreamFacts:
    """What is known about the videos and media of rows; all of it is optional.

    Attributes:
        durations: (dataset, video id as in the rows) -> end of the video, in the rows'
            time unit.
        is_there: function of a dataset and a path: whether the dataset has a file or folder with
            this path. None if this is unknown.
    """

    durations: Mapping[tuple[str, str], float] = field(default_factory=dict)
    is_there: Callable[[str, str], bool | None] | None = None

    def duration(self, sample: StreamRow) -> float | None:
        """Return the end of the row's video in the row's time unit, None if it is unknown."""
        return self.durations.get((sample.dataset, sample.video))

"""List what a run would send: videos, numbers of frames, numbers of bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ontology.errors import SourceBroken, SourceMissing
from transforms.inference.images import Shot
from transforms.inference.jobs import Job

Recording = tuple[str, str]
"""(dataset, path below its root)."""


@dataclass(slots=True)
class Sent:
    """The frames sent from one video; a frame counts each time that it is sent.

    Attributes:
        picture_bytes: size of the JPEGs; base64 in a request adds a third.
    """

    jobs: int = 0
    pictures: int = 0
    picture_bytes: int = 0


@dataclass(slots=True)
class Leaving:
    """The total of what is sent.

    Attributes:
        text_bytes: size of the messages; quoted responses are not known yet.
        failing: number of jobs that are not sent because none of their frames can be decoded.
    """

    jobs: int = 0
    text_bytes: int = 0
    failing: int = 0
    recordings: dict[Recording, Sent] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; videos by name."""
        return {
            "jobs": self.jobs, "text_bytes": self.text_bytes, "failing": self.failing,
            "pictures": sum(one.pictures for one in self.recordings.values()),
            "picture_bytes": sum(one.picture_bytes for one in self.recordings.values()),
            "recordings": [
                {"dataset": dataset, "path": path, "jobs": one.jobs, "pictures": one.pictures,
                 "picture_bytes": one.picture_bytes}
                for (dataset, path), one in sorted(self.recordings.items())
            ],
        }  # fmt: skip


def leaving(jobs: Iterable[Job], shots: Callable[[Job], Sequence[Shot]] | None) -> Leaving:
    """Go through jobs as a run would, without sending anything.

    Args:
        shots: cuts the frames of a job; None for text only.
    """
    out = Leaving()
    for job in jobs:
        try:
            pictures = shots(job) if shots else None
        except (SourceBroken, SourceMissing):
            out.failing += 1
            continue
        out.jobs += 1
        said = (job.system, job.user) if shots else (job.system, job.no_pictures, job.user)
        out.text_bytes += sum(len(text.encode()) for text in said)
        if pictures is not None:
            sent = out.recordings.setdefault((job.dataset, str(job.media["path"])), Sent())
            sent.jobs += 1
            sent.pictures += sum(bool(one.jpeg) for one in pictures)
            sent.picture_bytes += sum(len(one.jpeg) for one in pictures)
    return out

"""What a run would send: which recordings, how many of their pictures, how many bytes."""

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
    """What is sent of one recording; a picture is counted each time that it is sent.

    Attributes:
        picture_bytes: of the JPEGs; as base64 in a request they take a third more.
    """

    jobs: int = 0
    pictures: int = 0
    picture_bytes: int = 0


@dataclass(slots=True)
class Leaving:
    """What is sent in all.

    Attributes:
        text_bytes: of the messages; replies that a job quotes are not known yet.
        failing: jobs of which nothing is sent, as none of their pictures can be decoded.
    """

    jobs: int = 0
    text_bytes: int = 0
    failing: int = 0
    recordings: dict[Recording, Sent] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; recordings by name."""
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
    """Go through jobs as a run would, and send nothing.

    Args:
        shots: cuts the pictures of a job; None where none are sent.
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

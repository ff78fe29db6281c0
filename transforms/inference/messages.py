"""A job as chat messages, or as a line for a local program; and what a run would send."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ontology.errors import SourceBroken, SourceMissing
from transforms.inference.images import Shot
from transforms.inference.jobs import Job
from transforms.places import below

Message = dict[str, Any]


def chat_messages(job: Job, shots: Sequence[Shot] | None) -> list[Message]:
    """System and user message; frames come before the question, each after its caption.

    Args:
        shots: None for text only.
    """
    out: list[Message] = [{"role": "system", "content": job.system}] if job.system else []
    if shots is None:
        text = "\n\n".join(part for part in (job.no_pictures, job.user) if part)
        return [*out, {"role": "user", "content": text}]
    content: list[Message] = []
    for shot in shots:
        if not shot.jpeg:
            content.append({"type": "text", "text": _not_shown(shot)})
            continue
        if shot.caption:
            content.append({"type": "text", "text": shot.caption})
        content.append({"type": "image_url", "image_url": {"url": shot.url}})
    content.append({"type": "text", "text": job.user})
    return [*out, {"role": "user", "content": content}]


def program_line(job: Job, shots: Sequence[Shot] | None, folder: Path | None) -> dict[str, Any]:
    """The input of a local program: id, text and frames, without any name or path of the source.

    ``not_shown`` is present only if frames that the question names are missing.

    Args:
        folder: frames are written there and named by ``path``; otherwise ``url`` contains each
            as a data URL.
    """
    images = []
    for number, shot in enumerate(one for one in shots or () if one.jpeg):
        image: dict[str, Any] = {"caption": shot.caption}
        if folder is None:
            image["url"] = shot.url
        else:
            path = below(folder, f"{job.job_id}-{number:03d}.jpg")
            path.write_bytes(shot.jpeg)
            image["path"] = str(path)
        images.append(image)
    user = job.user
    if shots is None and job.no_pictures:
        user = f"{job.no_pictures}\n\n{job.user}"
    line = {"job_id": job.job_id, "system": job.system, "user": user, "images": images}
    unshown = [_not_shown(shot) for shot in shots or () if not shot.jpeg]
    return line | {"not_shown": unshown} if unshown else line


def _not_shown(shot: Shot) -> str:
    """Text that replaces a missing frame that the question names."""
    return f"{shot.caption or 'A picture that is asked about:'} it cannot be shown."


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

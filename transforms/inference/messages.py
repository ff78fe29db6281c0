"""A job as chat messages, or as a line for a local program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

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

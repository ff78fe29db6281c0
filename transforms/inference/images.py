"""The frames of a job, cut from the video and encoded as JPEG, and the messages with them.

Frames are unchanged unless the caller gives a function that hides faces and texts.
"""

from __future__ import annotations

import threading
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from surgqa.ontology import errors
from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.inference.frames import thinned
from surgqa.transforms.inference.jobs import Job
from surgqa.transforms.media import Film, film_of
from surgqa.transforms.media.cuts import Clean, jpeg, resized
from surgqa.transforms.media.film import media_of
from surgqa.transforms.media.located import located
from surgqa.transforms.places import Place, below

FILMS = 4
"""Number of videos held open at a time; jobs are sorted by video."""
PACKED = 512
"""Number of encoded frames kept for each video, for the next question about the same time."""


Medium = tuple[str, str, Media]
"""(dataset, video id, medium) of one video."""


def medium_of(row: Mapping[str, Any]) -> Medium:
    """Return the medium of an item's row."""
    return row["dataset"], row["video_id"], media_of(row["media"])[0]


Absent = Mapping[tuple[str, str], str]
"""(dataset, video id) -> why nothing of this video can be shown."""


@dataclass(frozen=True, slots=True)
class FrameRequest:
    """One frame of a job.

    Attributes:
        caption: text before it, or None.
        jpeg: the image; empty if the question names the instant but no frame can be shown.
    """

    time_us: int
    caption: str | None
    jpeg: bytes

    @property
    def url(self) -> str:
        """The image as a data URL."""
        return f"data:image/jpeg;base64,{b64encode(self.jpeg).decode()}"


class FrameImages:
    """Cuts the frames of jobs; can be used by several threads.

    Args:
        roots: folder of each dataset.
        longer_side: pixels; larger frames are scaled down.
        most: maximum number of frames of a job, thinned evenly; None for all.
        clean: for each dataset in whose frames faces and texts are hidden, the function that does.
    """

    def __init__(
        self, roots: Mapping[str, Place], longer_side: int = 768, most: int | None = None,
        clean: Mapping[str, Clean] | None = None,
    ) -> None:  # fmt: skip
        self.roots, self.longer_side, self.most = roots, longer_side, most
        self._clean = clean or {}
        self._films: OrderedDict[tuple[str, Media], _Packed] = OrderedDict()
        self._lock = threading.Lock()

    def absent(self, media: Iterable[Medium]) -> Absent:
        """Return, for each video of which nothing can be shown, the reason, which names the video.

        Raises:
            UserError: a dataset has no root.
        """
        known = sorted(media, key=lambda one: one[:2])
        lacking = sorted({dataset for dataset, _, one in known if one.path} - set(self.roots))
        if lacking:
            raise errors.WrongUsage(
                f"the folder of {lacking[0]} is not named",
                expected=f"--root {lacking[0]}=DIR",
                found=f"no root for {', '.join(lacking)}",
                fix="name the folder of the images, or send none with --without-images",
            )
        out = {}
        for dataset, video_id, one in known:
            if one.path is None or one.kind is MediaKind.ABSENT:
                out[dataset, video_id] = f"{dataset}/{video_id} has annotations only"
                continue
            try:
                if not located(self.roots[dataset], one).exists():
                    out[dataset, video_id] = f"nothing at {dataset}/{one.path}"
            except errors.SourceChanged as error:
                out[dataset, video_id] = f"{error.summary}: {error.found}"
        return out

    def check(self, media: Collection[Medium]) -> None:
        """Check that something can be shown of every video, before any paid call.

        Raises:
            UserError: a dataset has no root.
            SourceMissing: media are missing.
        """
        if absent := self.absent(media):
            raise missing(absent, len(media))

    def of(self, job: Job) -> list[FrameRequest]:
        """Return the frames on screen at the job's instants, in order; each frame once.

        Instants that the question names come first if not all can be shown.  A named instant
        without a frame is listed with an empty image, so that the model is informed.

        Raises:
            SourceMissing, SourceBroken: the video is missing, or no frame in the job's interval can
                be decoded.
        """
        film = self._film(job)
        chosen, asked = _on_screen(job, film)
        places = [place for place, index in enumerate(chosen) if index in asked]
        kept = [list(chosen)[place] for place in thinned(len(chosen), self.most, places)]
        packed = film.packed(kept)
        shots = [FrameRequest(*chosen[index], packed[index]) for index in kept if packed[index]]
        unshown = [FrameRequest(*one, b"") for index, mine in asked.items()
                   if index is None or not packed.get(index) for one in mine]  # fmt: skip
        if not shots:
            raise errors.MediaBroken(
                f"{job.media['path']} has no frame that can be decoded in this interval",
                found=f"{len(kept)} frames, all of them damaged" if kept else "no frame",
                where=f"{job.start_us / 1e6:.3f} to {job.end_us / 1e6:.3f} s",
                fix="compare the file with the dataset's published length, or download it again",
            )
        return sorted([*shots, *unshown], key=lambda shot: shot.time_us) if unshown else shots

    def picture(self, job: Job) -> np.ndarray | None:
        """Return the frame on screen at the job's last instant, in full size.

        Returns:
            uint8 (H, W, 3) RGB; None if no frame can be decoded without damage.
        """
        film = self._film(job)
        index = film.at(job.frames[-1]["time_us"], job.start_us)
        return None if index is None else film.whole([index])[0]

    def _film(self, job: Job) -> _Packed:
        key = (job.dataset, media_of(job.media)[0])
        with self._lock:
            if key not in self._films:
                self._films[key] = _Packed(
                    self.roots[job.dataset],
                    job,
                    self.longer_side,
                    self._clean.get(job.dataset, lambda frame: frame),
                )
                while len(self._films) > FILMS:
                    self._films.popitem(last=False)
            self._films.move_to_end(key)
            return self._films[key]


def missing(absent: Absent, of: int) -> errors.UserError:
    """Return the error about videos of which nothing can be shown; ``of``: number of videos."""
    why = list(absent.values())
    more = f" and {len(why) - 3} more" if len(why) > 3 else ""
    return errors.MediaMissing(
        f"the images of {len(why)} of {of} videos are missing",
        expected="a video file, a still or a folder of frames for every job",
        found=f"{', '.join(why[:3])}{more}",
        fix="name the folder that contains them; 'surgqa jobs OUT --to JOBS --root DATASET=DIR' "
        "leaves out items without images; --without-images sends none",
    )


Instant = tuple[int, str | None]
"""Time in microseconds, and caption, of one frame."""


def _on_screen(
    job: Job, film: _Packed
) -> tuple[dict[int, Instant], dict[int | None, list[Instant]]]:
    """Return the frames at a job's instants, each once, with its first instant.

    The second result holds all instants that the question names, by the index of their frame; the
    index is None for instants without a frame.
    """
    chosen: dict[int, Instant] = {}
    asked: dict[int | None, list[Instant]] = {}
    for frame in job.frames:
        one = (frame["time_us"], frame["caption"])
        index = film.at(frame["time_us"], job.start_us)
        if index is not None:
            chosen.setdefault(index, one)
        if frame.get("asked"):
            asked.setdefault(index, []).append(one)
    return chosen, asked


class _Packed:
    """One video and its most recently encoded frames."""

    def __init__(self, root: Place, job: Job, longer_side: int, clean: Clean) -> None:
        self.root, self.media, self.longer_side = root, job.media, longer_side
        self._clean = clean
        self._opened: Film | None = None
        self._jpegs: OrderedDict[int, bytes] = OrderedDict()
        self._lock = threading.RLock()

    def at(self, time_us: int, since_us: int) -> int | None:
        """The frame on screen at a time, or the last frame before it that starts in the interval.

        The result is None if the time is before the first frame, or in a gap that starts before the
        interval.
        """
        table = self._film().table
        if table.period_us is None and len(table.starts_us) == 1 and table.end_us == 1:
            return 0  # a still image is on screen at all times
        index = int(np.searchsorted(table.starts_us, time_us, side="right")) - 1
        if index < 0:
            return None
        begins = int(table.starts_us[index])
        gone = table.period_us is not None and time_us >= begins + table.period_us
        return None if begins < since_us and gone else index

    def packed(self, frames: list[int]) -> dict[int, bytes]:
        """Return the JPEG of each frame; empty if the frame cannot be decoded without damage."""
        with self._lock:
            lacking = sorted(frame for frame in frames if frame not in self._jpegs)
            cut = (picture if picture is None else
                   jpeg(resized(self._clean(picture), self.longer_side))
                   for picture in self.whole(lacking))  # fmt: skip
            fresh = {frame: data or b"" for frame, data in zip(lacking, cut, strict=True)}
            found = {frame: fresh.get(frame, self._jpegs.get(frame, b"")) for frame in frames}
            self._jpegs.update(fresh)
            while len(self._jpegs) > PACKED:
                self._jpegs.popitem(last=False)
            return found

    def whole(self, frames: list[int]) -> list[np.ndarray | None]:
        """Return the frames themselves; None for a frame that cannot be decoded without damage."""
        with self._lock:
            return [one.picture for one in self._film().decoded(frames)]

    def _film(self) -> Film:
        with self._lock:
            if self._opened is None:
                self._opened = film_of(self.root, *media_of(self.media))
            return self._opened


Message = dict[str, Any]


def chat_messages(job: Job, shots: Sequence[FrameRequest] | None) -> list[Message]:
    """Return the system and user message of a job; frames precede the question, after captions.

    Args:
        shots: None for text only.
    """
    out: list[Message] = [{"role": "system", "content": job.system}] if job.system else []
    if shots is None:
        return [*out, {"role": "user", "content": _text_only(job)}]
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


def program_line(
    job: Job, shots: Sequence[FrameRequest] | None, folder: Path | None
) -> dict[str, Any]:
    """Return the input of a program: id, text and frames of a job, without names of the source.

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
    user = job.user if shots is not None else _text_only(job)
    line = {"job_id": job.job_id, "system": job.system, "user": user, "images": images}
    unshown = [_not_shown(shot) for shot in shots or () if not shot.jpeg]
    return line | {"not_shown": unshown} if unshown else line


def _text_only(job: Job) -> str:
    return "\n\n".join(part for part in (job.no_pictures, job.user) if part)


def _not_shown(shot: FrameRequest) -> str:
    """Return the text that replaces a missing frame that the question names."""
    return f"{shot.caption or 'A picture that is asked about:'} it cannot be shown."


Recording = tuple[str, str]
"""(dataset, path below its root)."""


@dataclass(slots=True)
class Sent:
    """How much is sent of one video; a frame counts each time that it is sent.

    Attributes:
        picture_bytes: size of the JPEGs; base64 in a request adds a third.
    """

    jobs: int = 0
    pictures: int = 0
    picture_bytes: int = 0


@dataclass(slots=True)
class Leaving:
    """How much a run would send, in total.

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


def leaving(jobs: Iterable[Job], shots: Callable[[Job], Sequence[FrameRequest]] | None) -> Leaving:
    """Return how much a run of these jobs would send; nothing is sent.

    Args:
        shots: cuts the frames of a job; None for text only.
    """
    out = Leaving()
    for job in jobs:
        try:
            pictures = shots(job) if shots else None
        except (errors.SourceBroken, errors.SourceMissing):
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

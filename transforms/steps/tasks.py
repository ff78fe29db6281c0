"""What the steps pass on: small descriptions of work, never rows or images."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any

from surgqa.ontology.keys import digest
from surgqa.ontology.splits import Held
from surgqa.transforms.evidence.observers import observers_of
from surgqa.transforms.language import Program
from surgqa.transforms.places import Place, place
from surgqa.transforms.timeline import LinkLimits
from surgqa.transforms.windows import ClipLimits

INDEX = "index.json"
FILES = "files.json"
"""Files that the run reads after its Beam graph: lists of all parts, and of all output."""

SHARE = 4
"""A batch holds 1/SHARE of the remaining videos per worker, if there are several workers."""

BATCH = 64
"""Greatest number of videos in a batch."""

PIECES = 4
"""Number of pieces per worker if there are few videos; small pieces keep workers equally busy."""


@dataclass(frozen=True, slots=True)
class VideoTask:
    """One video about which questions are asked.

    Attributes:
        licence, label_source: replace what the reader states.
        evidence: the evidence store whose boxes are added to the labels, or None.
        rate: frames per second (``25``, ``30000/1001``) of a dataset that does not state them.
        anomalies: the folder with anomalies of each video.
        action_clips: the file of action clips.
        piece, pieces: number of this piece and of all pieces; a piece asks some of the templates.
    """

    dataset: str
    video_id: str
    root: str
    include_known_bad: bool = False
    split: str | None = None
    licence: str | None = None
    label_source: str | None = None
    evidence: str | None = None
    rate: str | None = None
    anomalies: str | None = None
    action_clips: str | None = None
    piece: int = 0
    pieces: int = 1

    @property
    def key(self) -> str:
        return f"{self.dataset}/{self.video_id}"

    @property
    def part(self) -> str:
        """Name of the video's folder: a digest, so that any id can be used."""
        return digest("part", self.dataset, self.video_id)[:16]


def in_batches(videos: Sequence[VideoTask], lanes: int) -> list[tuple[VideoTask, ...]]:
    """Return batches of videos for the workers; batches become smaller when few videos are left.

    Large batches take less time, and small ones at the end keep all workers busy.

    Args:
        lanes: number of workers, or their greatest possible number.
    """
    out, at = list[tuple[VideoTask, ...]](), 0
    while at < len(videos):
        size = (len(videos) - at) // (SHARE * lanes) if lanes > 1 else len(videos)
        out.append(tuple(videos[at : at + min(max(size, 1), BATCH)]))
        at += len(out[-1])
    return out


def in_pieces(videos: Sequence[VideoTask], workers: int) -> list[VideoTask]:
    """Return each video, repeated for each piece that its work is divided into.

    Work on a video is divided only if there are fewer videos than workers. The items of one
    template do not depend on the other templates.
    """
    many = PIECES * workers // len(videos) if len(videos) < workers else 1
    return [replace(one, piece=k, pieces=many) for one in videos for k in range(many)]


@dataclass(frozen=True)
class AskSettings:
    """How questions are asked; the settings are the same for all videos and can be pickled.

    Beam copies the contents of its steps many times, and the templates alone are 10,000 objects. So
    the settings are pickled once, and unpickled once in each process.

    Attributes:
        work: folder for intermediate files, a path or a URL (``s3://…``) that all workers can
            reach.
        cache: folder in which intermediate files are kept for later runs, or None.
        observers: kind of fact -> changed settings of the rule that computes facts of this kind.
        held: the videos that are held out. (If other datasets contain the same operations, the
            tasks state their split.)
        cost: True to measure which steps take processor time.
    """

    templates: tuple[Program, ...]
    seed: str
    shares: Mapping[str, float]
    work: str
    cache: str | None = None
    link: LinkLimits = field(default_factory=LinkLimits)
    clips: ClipLimits = field(default_factory=ClipLimits)
    observers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    held: Held = field(default_factory=dict)
    cost: bool = False

    @property
    def observed(self) -> dict[str, dict[str, Any]]:
        """Kinds of facts that templates need and rules compute, with the settings of each rule."""
        asked = {kind for one in self.templates for kind in one.kinds}
        return observers_of(asked, self.observers)

    def __reduce__(self) -> tuple[Any, ...]:
        return _put_together, (self._apart,)

    @cached_property
    def _apart(self) -> bytes:
        return pickle.dumps({one.name: getattr(self, one.name) for one in fields(self)})


@lru_cache(maxsize=4)
def _put_together(apart: bytes) -> AskSettings:
    return AskSettings(**pickle.loads(apart))


@dataclass(frozen=True, slots=True)
class MergeTask:
    """Some parts (intermediate files of videos) to merge to one file that is sorted by id."""

    split: str
    number: int
    parts: tuple[str, ...]

    @property
    def name(self) -> str:
        """File name of the merged file."""
        return f"run-{self.split}-{self.number:05d}.arrow"


@dataclass(frozen=True, slots=True)
class WriteTask:
    """One output file (or pair of files, Parquet and JSON Lines) to write.

    Attributes:
        kind: ``data``, ``evidence`` or ``rejected``.
        name: benchmark, table or stage.
        split, index, of: for ``data``: split, index of the shard, number of shards.
        low, high: for ``data``: range of the item ids in it, ``[low, high)``.
    """

    kind: str
    name: str
    split: str = ""
    index: int = 0
    of: int = 1
    low: str = ""
    high: str = ""


Info = dict[str, Any]
"""Summary of a finished video or file, as data for JSON."""


def part_folder(settings: AskSettings, task: VideoTask) -> Place:
    """Return the folder of a video's intermediate files during the run."""
    return place(settings.cache or settings.work) / "parts" / task.part

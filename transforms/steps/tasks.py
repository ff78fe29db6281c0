"""What travels between the steps: small descriptions of work, never rows or pictures."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any

from ontology.keys import digest
from ontology.splits import Held
from transforms.evidence.observers import observers_of
from transforms.language import Program
from transforms.places import Place, place
from transforms.timeline import LinkLimits
from transforms.windows import ClipLimits

INDEX = "index.json"
FILES = "files.json"
"""What a run reads when its graph is done: of all parts, and of all files."""

SHARE = 4
"""Of several workers each is handed such a part of its share of the videos that are left."""

BATCH = 64
"""Videos of a batch, at most."""

PIECES = 4
"""Pieces of the work on few videos for each worker: none should wait long for the last."""


@dataclass(frozen=True, slots=True)
class VideoTask:
    """One video to ask about; ``licence`` and ``label_source`` replace the reader's.

    ``evidence`` is the store whose boxes are put to the labels, or None; ``rate`` the
    pictures a second (``25``, ``30000/1001``) of a dataset that does not tell them;
    ``anomalies`` the folder of their key frames; ``action_clips`` the file of what is done when;
    ``piece`` of ``pieces`` says which of its templates are asked here.
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
        """Folder name of the video's part: no character of an id can break a path."""
        return digest("part", self.dataset, self.video_id)[:16]


def in_batches(videos: Sequence[VideoTask], lanes: int) -> list[tuple[VideoTask, ...]]:
    """What is handed to a worker at once: several videos, fewer the fewer are left.

    Many together take less time, and none should wait long for the last.

    Args:
        lanes: how many workers there are, or may be.
    """
    out, at = list[tuple[VideoTask, ...]](), 0
    while at < len(videos):
        size = (len(videos) - at) // (SHARE * lanes) if lanes > 1 else len(videos)
        out.append(tuple(videos[at : at + min(max(size, 1), BATCH)]))
        at += len(out[-1])
    return out


def in_pieces(videos: Sequence[VideoTask], workers: int) -> list[VideoTask]:
    """Each video as often as it is divided: only where there are fewer videos than workers.

    What is asked of a video by one template does not depend on the others.
    """
    many = PIECES * workers // len(videos) if len(videos) < workers else 1
    return [replace(one, piece=k, pieces=many) for one in videos for k in range(many)]


@dataclass(frozen=True)
class AskSettings:
    """How every video is asked about; the same for all, and picklable.

    Beam copies what its steps hold many times; the templates alone are 10,000 objects.  They are
    taken apart once, and put together once in each process.

    Attributes:
        work: folder for parts, a path or an address (``s3://…``) that all workers reach.
        cache: folder in which parts are kept for later runs, or None.
        observers: kind of fact -> settings of its observer that are not those of its file.
        held: what is held out; groups of it that other datasets have, too, are in the tasks.
        cost: whether it is counted where the processor's time goes.
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
        """Kinds of facts that templates ask for and that are made by rule, with the rule."""
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
    """Parts to merge into one file with their rows in order of id."""

    split: str
    number: int
    parts: tuple[str, ...]

    @property
    def name(self) -> str:
        """File name of the run that is made."""
        return f"run-{self.split}-{self.number:05d}.arrow"


@dataclass(frozen=True, slots=True)
class WriteTask:
    """One output file (or pair of files, Parquet and JSON Lines) to write.

    Attributes:
        kind: ``data``, ``evidence`` or ``rejected``.
        name: benchmark, table or stage.
        split, index, of: for ``data``: which of how many shards of which split.
        low, high: for ``data``: the item ids in it, ``[low, high)``.
    """

    kind: str
    name: str
    split: str = ""
    index: int = 0
    of: int = 1
    low: str = ""
    high: str = ""


Info = dict[str, Any]
"""What is told of a finished video or file: plain JSON."""


def part_folder(settings: AskSettings, task: VideoTask) -> Place:
    """Where a video's part lies while the run lasts."""
    return place(settings.cache or settings.work) / "parts" / task.part

"""The map of media: the video of each row, and an alias if the video's name reveals an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from surgqa.transforms.exports.medstream.names import media_alias
from surgqa.transforms.exports.medstream.taking import TAKING
from surgqa.transforms.exports.medstream.telling import tells
from surgqa.transforms.store import OutputFolder

ABSENT = "media: absent"
"""Stands for a path if no media are known."""

_READ = ["dataset", "video_id", "split", "media", "question", "options", "answer",
         "answer_value", "slots"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ExportedVideo:
    """One video.

    Attributes:
        alias, alias_path: names that reveal nothing.
        hidden: True if rows with answers use the alias too. Rows for models always use it.
    """

    dataset: str
    video_id: str
    split: str
    path: str | None
    kind: str
    alias: str
    alias_path: str
    hidden: bool = False

    @property
    def shown_id(self) -> str:
        """The ``video_id`` of rows with answers."""
        return self.alias if self.hidden else self.video_id

    @property
    def shown_path(self) -> str:
        """The ``media_path`` of rows with answers."""
        return self.alias_path if self.hidden else self.path or ABSENT

    def line(self) -> dict[str, Any]:
        """Return the video's line in the map."""
        return {
            "dataset": self.dataset, "alias": self.alias, "alias_path": self.alias_path,
            "video_id": self.video_id, "media_path": self.path, "media_kind": self.kind,
            "split": self.split, "hidden": self.hidden,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class MediaMap:
    """All videos that rows refer to, by (dataset, video id).

    If a video's name reveals the answer of one row, all names of the dataset are hidden. If only
    the revealing names were hidden, the hiding itself would reveal something.
    """

    recordings: Mapping[tuple[str, str], ExportedVideo]

    def of(self, row: Mapping[str, Any]) -> ExportedVideo:
        """Return the video of a row of ``data/``."""
        return self.recordings[row["dataset"], row["video_id"]]

    def __iter__(self) -> Iterator[ExportedVideo]:
        """Yield the videos, in order of dataset and video id."""
        yield from self.recordings.values()

    def hidden(self) -> list[str]:
        """Return datasets whose names are hidden."""
        return sorted({one.dataset for one in self.recordings.values() if one.hidden})


def media_map(folder: OutputFolder) -> MediaMap:
    """Return the map of an output; all its rows are read once."""
    known: dict[tuple[str, str], ExportedVideo] = {}
    telling: set[str] = set()
    for row in TAKING.rows(folder, _READ):
        dataset = row["dataset"]
        if (dataset, row["video_id"]) not in known:
            known[dataset, row["video_id"]] = _recording(row)
        if dataset not in telling and tells(row, dataset):
            telling.add(dataset)
    return MediaMap({
        key: replace(one, hidden=one.dataset in telling)
        for key, one in sorted(known.items())
    })  # fmt: skip


def _recording(row: Mapping[str, Any]) -> ExportedVideo:
    media, alias = row["media"], media_alias(row["dataset"], row["video_id"])
    path = media["path"]
    file = path is not None and media["kind"] in ("video", "image")
    suffix = PurePosixPath(path).suffix.casefold() if file else ""
    return ExportedVideo(
        dataset=row["dataset"], video_id=row["video_id"], split=row["split"], path=path,
        kind=media["kind"], alias=alias,
        alias_path=f"media/{alias}{suffix}" if path else ABSENT,
    )  # fmt: skip

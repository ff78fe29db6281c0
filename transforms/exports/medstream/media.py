"""The map of media: which recording a row is about, and what it is called where that tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from transforms.exports.medstream.names import media_alias
from transforms.exports.medstream.taking import TAKING
from transforms.exports.medstream.telling import tells
from transforms.store import OutputFolder

ABSENT = "media: absent"
"""Instead of a path where no media is known."""

_READ = ["dataset", "video_id", "split", "media", "question", "options", "answer",
         "answer_value", "slots"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Recording:
    """One video.

    Attributes:
        alias, alias_path: names that tell nothing.
        hidden: whether rows with answers use them as well; rows for models always do.
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
        """``video_id`` of rows with answers."""
        return self.alias if self.hidden else self.video_id

    @property
    def shown_path(self) -> str:
        """``media_path`` of rows with answers."""
        return self.alias_path if self.hidden else self.path or ABSENT

    def line(self) -> dict[str, Any]:
        """The entry of the map."""
        return {
            "dataset": self.dataset, "alias": self.alias, "alias_path": self.alias_path,
            "video_id": self.video_id, "media_path": self.path, "media_kind": self.kind,
            "split": self.split, "hidden": self.hidden,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class MediaMap:
    """All recordings that rows are about, by (dataset, video id).

    Where one row of a dataset is told by a name, all of the dataset's names are hidden:
    were it only those that tell, that would tell as well.
    """

    recordings: Mapping[tuple[str, str], Recording]

    def of(self, row: Mapping[str, Any]) -> Recording:
        """The recording of a row of ``data/``."""
        return self.recordings[row["dataset"], row["video_id"]]

    def __iter__(self) -> Iterator[Recording]:
        """In order of dataset and video id."""
        yield from self.recordings.values()

    def hidden(self) -> list[str]:
        """Datasets whose names are hidden."""
        return sorted({one.dataset for one in self.recordings.values() if one.hidden})


def media_map(folder: OutputFolder) -> MediaMap:
    """Go through all rows once."""
    known: dict[tuple[str, str], Recording] = {}
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


def _recording(row: Mapping[str, Any]) -> Recording:
    media, alias = row["media"], media_alias(row["dataset"], row["video_id"])
    path = media["path"]
    file = path is not None and media["kind"] in ("video", "image")
    suffix = PurePosixPath(path).suffix.casefold() if file else ""
    return Recording(
        dataset=row["dataset"], video_id=row["video_id"], split=row["split"], path=path,
        kind=media["kind"], alias=alias,
        alias_path=f"media/{alias}{suffix}" if path else ABSENT,
    )  # fmt: skip

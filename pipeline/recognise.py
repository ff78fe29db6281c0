"""Recognise the datasets in a folder: each reader reports the videos that it finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from surgqa.ontology.errors import UserError
from surgqa.ontology.files import listed
from surgqa.transforms import registry

DEPTH = 2
"""Number of subfolders that are searched."""


@dataclass(frozen=True, slots=True)
class RecognisedDataset:
    """A dataset whose files a reader found in a folder.

    Attributes:
        videos: number of videos that the reader found.
        known: number of the videos that belong to the published release.
    """

    name: str
    root: Path
    videos: int
    known: int

    @property
    def rank(self) -> tuple[bool, float, int, str]:
        """Sort key, most likely first: published datasets, then the number of known videos."""
        own = not registry.files(self.name).video_ids
        return own, -self.known / self.videos, -self.videos, self.name


@dataclass(frozen=True, slots=True)
class Recognised:
    """The dataset that was recognised in a folder, and other possible ones.

    Attributes:
        root: the folder.
        chosen: dataset of the folder; None if readers found videos but none can read the first
            video.
        others: other datasets whose readers can use the folder.
        refused: for each dataset, the reason why its reader cannot read the first video.
    """

    root: Path
    chosen: RecognisedDataset | None
    others: tuple[str, ...]
    refused: dict[str, str]


def candidates(root: Path) -> list[RecognisedDataset]:
    """Return every dataset with videos in a folder, the most likely first."""
    out = []
    for name in registry.datasets():
        found = _found(name, root)
        if found:
            known = len(set(found) & set(registry.files(name).video_ids))
            out.append(RecognisedDataset(name, root, len(found), known))
    return sorted(out, key=lambda one: one.rank)


def _found(name: str, root: Path) -> list[str]:
    """Return the videos that a reader finds; empty if their list belongs to another dataset."""
    try:
        return registry.load_reader(name)(root).found()
    except UserError:
        return []


def recognised(folder: Path) -> Iterator[Recognised]:
    """Yield the dataset in a folder, or the datasets in its subfolders.

    The subfolders of a dataset are not searched.

    A folder counts as a dataset if a reader finds videos in it and can read the first video.
    """
    yield from _below(folder, DEPTH)


def _below(folder: Path, depth: int) -> Iterator[Recognised]:
    read, refused = [], dict[str, str]()
    for one in candidates(folder):
        why = _unreadable(one)
        if why:
            refused[one.name] = why
        else:
            read.append(one)
    if read:
        yield Recognised(folder, read[0], tuple(one.name for one in read[1:]), refused)
        return
    if refused:
        yield Recognised(folder, None, (), refused)
    if depth:
        for child in listed(folder):
            if child.is_dir() and not child.name.startswith("."):
                yield from _below(child, depth - 1)


def _unreadable(one: RecognisedDataset) -> str:
    """Return why a reader cannot use a folder whose files it found; '' if it can."""
    reader = registry.load_reader(one.name)(one.root)
    try:
        evidence = reader.read(reader.videos()[0])
    except UserError as error:
        return error.summary
    table = evidence.instruments
    kept = any((evidence.spans, evidence.labels, evidence.moments, evidence.regions,
                table is not None and table.instants_us.size))  # fmt: skip
    return "" if kept else "its first video has no usable labels"

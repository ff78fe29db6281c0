"""Which datasets lie in a folder, told by their readers from the files that are there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ontology.errors import UserError
from ontology.files import listed
from transforms import registry

DEPTH = 2
"""Folders below the one that is named that are looked at."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A dataset whose files a reader finds in a folder.

    Attributes:
        videos: how many the reader finds.
        known: how many of these the whole release has, of a published dataset.
    """

    name: str
    root: Path
    videos: int
    known: int

    @property
    def rank(self) -> tuple[bool, float, int, str]:
        """Sorts the likeliest first: published data, then how many of its videos are known."""
        own = not registry.files(self.name).video_ids
        return own, -self.known / self.videos, -self.videos, self.name


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a folder holds.

    Attributes:
        root: the folder.
        chosen: its dataset; None where readers find videos and none can read the first.
        others: datasets whose readers can use the folder, too.
        refused: dataset -> why its reader cannot read the first video.
    """

    root: Path
    chosen: Candidate | None
    others: tuple[str, ...]
    refused: dict[str, str]


def candidates(root: Path) -> list[Candidate]:
    """Every dataset of which a reader finds videos in a folder, the likeliest first."""
    out = []
    for name in registry.datasets():
        found = _found(name, root)
        if found:
            known = len(set(found) & set(registry.files(name).video_ids))
            out.append(Candidate(name, root, len(found), known))
    return sorted(out, key=lambda one: one.rank)


def _found(name: str, root: Path) -> list[str]:
    """Videos that a reader finds; none where a file that lists them is another dataset's."""
    try:
        return registry.load_reader(name)(root).found()
    except UserError:
        return []


def recognised(folder: Path) -> Iterator[Recognised]:
    """The dataset of a folder, or of folders in it; nothing is looked for inside a dataset.

    A dataset is one of which a reader finds videos and can read the first.
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


def _unreadable(one: Candidate) -> str:
    """Why a reader cannot use a folder whose files it finds; '' where it can."""
    reader = registry.load_reader(one.name)(one.root)
    try:
        evidence = reader.read(reader.videos()[0])
    except UserError as error:
        return error.summary
    table = evidence.instruments
    kept = any((evidence.spans, evidence.labels, evidence.moments, evidence.regions,
                table is not None and table.instants_us.size))  # fmt: skip
    return "" if kept else "its first video has nothing that can be used"
